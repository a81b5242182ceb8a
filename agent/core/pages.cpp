#include "agent/core/pages.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "agent/core/raw.hpp"

namespace prof::pages {
namespace {

constexpr std::size_t kHugeFrom = 4 << 20;

// The bounds of what is marked PROF_WIPED; of nothing where the linker was not told to put it together.
alignas(kPage) __attribute__((section(".bss.prof_wiped.0"))) constinit char g_begin[kPage] = {};
alignas(kPage) __attribute__((section(".bss.prof_wiped.2"))) constinit char g_end[kPage] = {};
constinit bool g_section_wiped = false;

std::size_t rounded(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

bool advise(void* start, std::size_t bytes, int advice) {
  return raw::call(SYS_madvise, raw::word(start), static_cast<long>(bytes), advice) == 0;
}

}  // namespace

// Raw system calls: mmap and munmap are interposed, and libc's are not needed for anything here.
static void* map_plainly(std::size_t bytes) {
  const long r = raw::call(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return r < 0 && r > -4096 ? nullptr : reinterpret_cast<void*>(r);
}

void* map(std::size_t bytes, InChild in_child) {
  const std::size_t n = rounded(bytes);
  void* p = map_plainly(n);
  if (p == nullptr) return nullptr;
  if (in_child != InChild::Kept) advise(p, n, in_child == InChild::Zeroed ? MADV_WIPEONFORK : MADV_DONTFORK);
  advise(p, n, MADV_DONTDUMP);
  // A large table is looked up at random: in small pages each look-up misses the TLB as well.
  if (n >= kHugeFrom) advise(p, n, MADV_HUGEPAGE);
  advise(p, n, MADV_RANDOM);  // nothing to memory without a file, but a mark to know ours by: memory/smaps.cpp
  return p;
}

void* map_sparsely(std::size_t bytes) {
  const std::size_t n = rounded(bytes);
  void* p = map_plainly(n);
  if (p == nullptr) return nullptr;
  for (const int advice : {MADV_WIPEONFORK, MADV_DONTDUMP, MADV_NOHUGEPAGE, MADV_RANDOM}) advise(p, n, advice);
  return p;
}

void zero(void* start, std::size_t bytes) {
  const std::size_t n = rounded(bytes);
  // Pages that the program has locked (mlockall) are not given back, and keep what they hold.
  if (!advise(start, n, MADV_DONTNEED)) std::memset(start, 0, n);
}

void unmap(void* start, std::size_t bytes) {
  raw::call(SYS_munmap, raw::word(start), static_cast<long>(rounded(bytes)));
}

void wipe_in_child(void* start, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(start), begin = reinterpret_cast<std::uintptr_t>(g_begin);
  const auto end = reinterpret_cast<std::uintptr_t>(g_end);
  if (at < begin || at + bytes > end) {
    advise(start, bytes, MADV_WIPEONFORK);
  } else if (!g_section_wiped) {
    g_section_wiped = true;
    advise(g_begin, end - begin, MADV_WIPEONFORK);
  }
}

}  // namespace prof::pages
