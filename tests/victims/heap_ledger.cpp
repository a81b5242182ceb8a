// Keeps its own books of what it allocates: eight threads, every entry point, blocks freed by other threads, chains of
// reallocations, and a fork in the middle whose child goes on with books of its own.
//
// usage: heap_ledger OPERATIONS_PER_THREAD
// So much is live that what the process holds besides, and what threads have in hand when the peak comes, is little.
// Each process prints one line of JSON: its pid, its peak, and by site what came of it. A site is the function named
// so; all sites are called from one place, so that site and context are one.
#include <dlfcn.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <new>

#include "victim.h"

namespace {

enum Site {
  kMalloc,
  kCalloc,
  kMemalign,
  kAlignedAlloc,
  kPosixMemalign,
  kValloc,
  kPvalloc,
  kNew,
  kNewArray,
  kNewAligned,
  kStrdup,
  kStrndup,
  kRealloc,
  kReallocarray,
  kSites
};
const char* const kNames[kSites] = {"site_malloc",         "site_calloc",      "site_memalign", "site_aligned_alloc",
                                    "site_posix_memalign", "site_valloc",      "site_pvalloc",  "site_new",
                                    "site_new_array",      "site_new_aligned", "site_strdup",   "site_strndup",
                                    "site_realloc",        "site_reallocarray"};

struct Block {
  void* address;
  std::size_t bytes;
  Site site;
};

// The books. Counters of all threads. Temporary blocks were freed by the next thing their thread did; alike are those
// and the others that were of the same site and size as what the thread had just allocated.
struct Books {
  std::atomic<long long> allocations, bytes, frees, freed_bytes, temporary, alike, reallocations, moved, largest;
};
Books books[kSites];
std::atomic<long long> live, peak, foreign;

thread_local Block last;  // the last thing that this thread did, if that was an allocation

void note_allocation(const Block& block) {
  Books& b = books[block.site];
  const auto bytes = static_cast<long long>(block.bytes);
  ++b.allocations;
  b.bytes += bytes;
  for (long long seen = b.largest; bytes > seen && !b.largest.compare_exchange_weak(seen, bytes);) {
  }
  const long long now = live += bytes;
  for (long long seen = peak; now > seen && !peak.compare_exchange_weak(seen, now);) {
  }
  last = block;
}

void note_free(const Block& block) {
  Books& b = books[block.site];
  ++b.frees;
  b.freed_bytes += static_cast<long long>(block.bytes);
  live -= static_cast<long long>(block.bytes);
  if (last.address == block.address) ++b.temporary;
  if (last.address != nullptr && last.site == block.site && last.bytes == block.bytes) ++b.alike;
  last = {};
}

Block site_malloc(std::size_t n) { return {malloc(n), n, kMalloc}; }
Block site_calloc(std::size_t n) {
  n = n / 3 + 1;
  return {calloc(3, n), 3 * n, kCalloc};
}
Block site_memalign(std::size_t n) { return {memalign(256, n), n, kMemalign}; }
Block site_aligned_alloc(std::size_t n) {
  n = n / 64 * 64 + 64;
  return {aligned_alloc(64, n), n, kAlignedAlloc};
}
Block site_posix_memalign(std::size_t n) {
  void* p = nullptr;
  EXPECT(posix_memalign(&p, 128, n) == 0);
  return {p, n, kPosixMemalign};
}
Block site_valloc(std::size_t n) { return {valloc(n), n, kValloc}; }
Block site_pvalloc(std::size_t n) {
  n = n / 4096 * 4096 + 4096;
  return {pvalloc(n), n, kPvalloc};
}
Block site_new(std::size_t n) { return {operator new(n), n, kNew}; }
Block site_new_array(std::size_t n) { return {operator new[](n), n, kNewArray}; }
Block site_new_aligned(std::size_t n) {
  n = n / 64 * 64 + 64;  // a multiple of the alignment: libstdc++ would round up to one
  return {operator new(n, std::align_val_t(64)), n, kNewAligned};
}
char long_text[4096];
Block site_strdup(std::size_t n) {
  const char* text = long_text + sizeof long_text - 1 - n % 1000;
  return {strdup(text), strlen(text) + 1, kStrdup};
}
Block site_strndup(std::size_t n) { return {strndup(long_text, n % 1000), n % 1000 + 1, kStrndup}; }

Block (*const kMakers[])(std::size_t) = {site_malloc,         site_calloc,      site_memalign, site_aligned_alloc,
                                         site_posix_memalign, site_valloc,      site_pvalloc,  site_new,
                                         site_new_array,      site_new_aligned, site_strdup,   site_strndup};
constexpr unsigned kMakerCount = sizeof kMakers / sizeof *kMakers;

void* site_realloc(void* p, std::size_t n) { return realloc(p, n); }
void* site_reallocarray(void* p, std::size_t n) { return reallocarray(p, n, 1); }

using FreeSized = void (*)(void*, std::size_t);
using FreeAlignedSized = void (*)(void*, std::size_t, std::size_t);
FreeSized free_sized_c23;
FreeAlignedSized free_aligned_sized_c23;

void give_back(const Block& block) {
  switch (block.site) {
    case kMalloc:
      if (free_sized_c23 != nullptr) return free_sized_c23(block.address, block.bytes);
      return free(block.address);
    case kAlignedAlloc:
      if (free_aligned_sized_c23 != nullptr) return free_aligned_sized_c23(block.address, 64, block.bytes);
      return free(block.address);
    case kNew:
      if (block.bytes % 2 == 0) return operator delete(block.address);
      return operator delete(block.address, block.bytes);
    case kNewArray:
      return operator delete[](block.address);
    case kNewAligned:
      return operator delete(block.address, std::align_val_t(64));
    default:
      return free(block.address);
  }
}

bool can_be_resized(const Block& block) {
  return block.site != kNew && block.site != kNewArray && block.site != kNewAligned;
}

void release(const Block& block) {
  note_free(block);
  give_back(block);
}

Block resized(Block old, std::size_t n, bool array) {
  const Site site = array ? kReallocarray : kRealloc;
  note_free(old);
  void* p = array ? site_reallocarray(old.address, n) : site_realloc(old.address, n);
  EXPECT(p != nullptr);
  const Block block{p, n, site};
  ++books[site].reallocations;
  if (p != old.address) books[site].moved += static_cast<long long>(std::min(old.bytes, n));
  note_allocation(block);
  return block;
}

// Where threads leave blocks for each other.
constexpr unsigned kShelf = 4096;
Block shelf[kShelf];
pthread_mutex_t shelf_lock = PTHREAD_MUTEX_INITIALIZER;

std::size_t random_size(uint32_t* seed) {
  const std::size_t kind = next_random(seed) % 64;
  if (kind == 0) return 20'000 + next_random(seed) % 130'000;
  return 1 + next_random(seed) % 3'000;
}

constexpr unsigned kOwn = 1024;

void operate(long operations, uint32_t seed) {
  Block own[kOwn] = {};
  for (long i = 0; i < operations; ++i) {
    Block& slot = own[next_random(&seed) % kOwn];
    const unsigned what = next_random(&seed) % 16;
    if (slot.address != nullptr && what < 4 && can_be_resized(slot)) {
      slot = resized(slot, random_size(&seed), what % 2 != 0);
      continue;
    }
    if (slot.address != nullptr) release(slot);
    slot = kMakers[next_random(&seed) % kMakerCount](random_size(&seed));
    EXPECT(slot.address != nullptr);
    note_allocation(slot);
    if (what == 4) {  // gone at once
      release(slot);
      slot = {};
    } else if (what >= 12) {
      pthread_mutex_lock(&shelf_lock);
      std::swap(slot, shelf[next_random(&seed) % kShelf]);
      pthread_mutex_unlock(&shelf_lock);
    }
  }
  for (unsigned i = 0; i < kOwn; ++i) {
    if (own[i].address != nullptr && i % 4 != 0) release(own[i]);  // a fourth stays
  }
}

void print_books() {
  char text[8192];
  int at = snprintf(text, sizeof text, "{\"pid\":%d,\"peak\":%lld,\"foreign\":%lld,\"sites\":{", getpid(), peak.load(),
                    foreign.load());
  for (int s = 0; s < kSites; ++s) {
    const Books& b = books[s];
    at += snprintf(
        text + at, sizeof text - static_cast<std::size_t>(at),
        "%s\"%s\":{\"allocations\":%lld,\"allocated_bytes\":%lld,\"frees\":%lld,\"live_bytes\":%lld,"
        "\"temporary\":%lld,\"alike\":%lld,\"reallocations\":%lld,\"moved_bytes\":%lld,\"largest_bytes\":%lld}",
        s == 0 ? "" : ",", kNames[s], b.allocations.load(), b.bytes.load(), b.frees.load(), b.bytes - b.freed_bytes,
        b.temporary.load(), b.alike.load(), b.reallocations.load(), b.moved.load(), b.largest.load());
  }
  at += snprintf(text + at, sizeof text - static_cast<std::size_t>(at), "}}\n");
  EXPECT(write(1, text, static_cast<std::size_t>(at)) == at);
}

constexpr int kThreads = 8;
long operations;
pthread_barrier_t halfway;

void* work(void* argument) {
  const auto number = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(argument));
  operate(operations / 2, 1000 + number);
  pthread_barrier_wait(&halfway);  // here the main thread forks
  pthread_barrier_wait(&halfway);
  operate(operations - operations / 2, 2000 + number);
  return nullptr;
}

void* work_in_child(void* argument) {
  operate(operations / 2, 3000 + static_cast<uint32_t>(reinterpret_cast<uintptr_t>(argument)));
  return nullptr;
}

// The parent's blocks are strangers in the child's books.
int child() {
  for (Books& b : books) {
    b.allocations = b.bytes = b.frees = b.freed_bytes = b.temporary = b.alike = b.reallocations = b.moved = b.largest =
        0;
  }
  live = peak = 0;
  last = {};
  for (Block& block : shelf) {
    if (block.address == nullptr) continue;
    give_back(block);
    ++foreign;
    block = {};
  }
  pthread_t threads[2];
  for (uintptr_t i = 0; i < 2; ++i) {
    EXPECT(pthread_create(&threads[i], nullptr, work_in_child, reinterpret_cast<void*>(i)) == 0);
  }
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  print_books();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  operations = argument(argc, argv, 1, 100'000);
  memset(long_text, 'x', sizeof long_text - 1);
  free_sized_c23 = reinterpret_cast<FreeSized>(dlsym(RTLD_DEFAULT, "free_sized"));
  free_aligned_sized_c23 = reinterpret_cast<FreeAlignedSized>(dlsym(RTLD_DEFAULT, "free_aligned_sized"));
  pthread_barrier_init(&halfway, nullptr, kThreads + 1);
  pthread_t threads[kThreads];
  for (uintptr_t i = 0; i < kThreads; ++i) {
    EXPECT(pthread_create(&threads[i], nullptr, work, reinterpret_cast<void*>(i)) == 0);
  }
  pthread_barrier_wait(&halfway);
  const pid_t pid = fork();
  EXPECT(pid >= 0);
  if (pid == 0) return child();
  pthread_barrier_wait(&halfway);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  int status = 0;
  EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
  print_books();
  return 0;
}
