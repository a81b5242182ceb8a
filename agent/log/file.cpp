#include "agent/log/file.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "agent/core/clock.hpp"
#include "agent/core/helper_thread.hpp"
#include "agent/core/notice.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/core/text.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/describe.hpp"
#include "agent/log/disk.hpp"
#include "agent/log/header.hpp"
#include "agent/log/system.hpp"

namespace prof::log {
namespace {

// A process that starts and ends at once writes no more than this: the header, and what it is.
constexpr std::size_t kFirstBytes = 8 << 10;
constexpr std::size_t kSecondBytes = 48 << 10;
constexpr std::size_t kSmallStep = 64 << 10;
constexpr std::size_t kStep = 256 << 10;
constexpr std::uint64_t kRetryAfterNs = 5'000'000'000;  // after the disk was full

enum class Made : std::uint32_t { No, Making, Yes, Failed };

struct File {
  std::atomic<Made> made;
  char* window;
  std::uint64_t window_bytes;
  std::uint64_t device, inode;
  std::atomic<std::uint64_t> retry_at_ns;
  std::atomic<bool> described;  // whole: describe_rest
  FilePath path;
};
PROF_WIPED_AT_START constinit pages::Wiped<File> g_file{};
File& file() { return g_file.value; }

constexpr std::uint64_t kLeastWindow = 1 << 20;
constexpr std::uint64_t kPartOfLimit = 16;

// How large a window may be where address space is limited: most of it is the program's.
std::uint64_t largest_window() {
  const std::uint64_t wanted = process().options.log_limit();
  rlimit limit{};
  if (raw::call(SYS_prlimit64, 0, RLIMIT_AS, 0, raw::word(&limit)) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return wanted;
  const std::uint64_t share = std::max(limit.rlim_cur / kPartOfLimit / kLeastWindow * kLeastWindow, kLeastWindow);
  return std::min(wanted, share);
}

// Maps the largest window that the process's limits allow.
bool map_window(int fd, File& f) {
  for (std::uint64_t bytes = largest_window(); bytes >= kLeastWindow; bytes /= 2) {
    const long r = raw::call(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (r < 0 && r > -4096) continue;
    f.window = reinterpret_cast<char*>(r);
    f.window_bytes = bytes;
    // Gone in forked children; not in core dumps; and without the readahead that makes a first store cost milliseconds.
    raw::call(SYS_madvise, r, static_cast<long>(bytes), MADV_DONTFORK);
    raw::call(SYS_madvise, r, static_cast<long>(bytes), MADV_DONTDUMP);
    raw::call(SYS_madvise, r, static_cast<long>(bytes), MADV_RANDOM);
    return true;
  }
  return false;
}

bool fail(const char* directory, long error) {
  Text<600> text;
  text << "nothing is recorded: cannot write a log in " << directory << ": " << error_name(static_cast<int>(-error));
  notice(text.view());
  return false;
}

// Large texts are static here: only one thread ever makes the log, and it may stand on a very small stack.
bool create(File& f) {
  Process& p = process();
  int fd = create_file(p.run_dir, f.path);
  if (fd < 0 && !p.options.out_given) {
    // Nobody asked for the working directory in particular: a program started in a read-only place is still recorded.
    const char* name = std::strrchr(p.run_dir, '/');
    PROF_LARGE static char room[4040];
    TextBuilder other(room, sizeof(room));
    other << "/tmp" << (name != nullptr ? name : "/prof");
    const int second = create_file(other.c_str(), f.path);
    if (second >= 0) {
      Text<600> text;
      text << "logs go to " << other.view() << ": cannot write to " << p.run_dir;
      notice(text.view());
      fd = second;
    }
  }
  if (fd < 0) return fail(p.run_dir, fd);
  long r = reserve(fd, 0, kFirstBytes);
  struct stat st {};
  if (r == 0) r = raw::call(SYS_fstat, fd, raw::word(&st));
  if (r == 0 && !map_window(fd, f)) r = -ENOMEM;
  raw::close(fd);
  if (r != 0) {
    raw::call(SYS_unlink, raw::word(f.path));
    return fail(p.run_dir, r);
  }
  f.device = st.st_dev;
  f.inode = st.st_ino;
  Header& h = *reinterpret_cast<Header*>(f.window);
  fill_header(h, kFirstBytes);
  f.made.store(Made::Yes, std::memory_order_release);
  current_header.value.store(&h, std::memory_order_release);
  describe_process();
  if (h.committed > kFirstBytes && !f.described.exchange(true)) describe_rest();
  __atomic_store_n(&h.magic, kMagic, __ATOMIC_RELEASE);
  return true;
}

// Gives the file space up to `target`: 0, or the condition that hinders it.
std::uint64_t lengthen(const File& f, std::uint64_t have, std::uint64_t target) {
  const int fd = raw::open(f.path, O_RDWR | O_NOFOLLOW);
  if (fd < 0) return kUnlinked;
  struct stat st {};
  const bool same = raw::call(SYS_fstat, fd, raw::word(&st)) == 0 && st.st_dev == f.device && st.st_ino == f.inode;
  const bool taken = same && reserve(fd, have, target) == 0;
  raw::close(fd);
  if (!same) return kUnlinked;
  return taken ? 0 : std::uint64_t{kDiskFull};
}

bool grow(Header& h, std::uint64_t needed) {
  File& f = file();
  const std::uint64_t have = __atomic_load_n(&h.committed, __ATOMIC_ACQUIRE);
  const std::uint64_t step = have < kSecondBytes ? kSecondBytes : have < kStep ? kSmallStep : kStep;
  std::uint64_t target = (needed + step - 1) / step * step;
  if (target > f.window_bytes) target = f.window_bytes;
  if (needed > target) {
    note_condition(kLogFull);
    return false;
  }
  if (clock::monotonic() < f.retry_at_ns.load(std::memory_order_relaxed)) return false;
  std::uint64_t trouble = 0;
  helper_thread::run([&] {
    trouble = lengthen(f, have, target);
    if (trouble != 0) return;
    std::uint64_t seen = have;
    while (seen < target &&
           !__atomic_compare_exchange_n(&h.committed, &seen, target, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    }
    // Not while the log is being made, in a thread that writes its texts: that is not over before the magic.
    if (__atomic_load_n(&h.magic, __ATOMIC_ACQUIRE) == kMagic && !f.described.exchange(true)) describe_rest();
  });
  if (trouble == 0) return true;
  note_condition(trouble);
  f.retry_at_ns.store(clock::monotonic() + kRetryAfterNs, std::memory_order_relaxed);
  return false;
}

}  // namespace

PROF_WIPED_AT_START constinit pages::Wiped<std::atomic<Header*>> current_header{};

bool ensure_created() {
  if (header() != nullptr) [[likely]]
    return true;
  File& f = file();
  Made made = f.made.load(std::memory_order_acquire);
  if (made == Made::Yes) return true;
  if (made != Made::No || !f.made.compare_exchange_strong(made, Made::Making)) return false;
  bool created = false;
  helper_thread::run([&] { created = create(f); });
  if (created) return true;
  f.made.store(Made::Failed, std::memory_order_release);
  process().stage = Stage::Off;
  return false;
}

void make_room() {
  Header* h = header();
  if (h != nullptr && __atomic_load_n(&h->committed, __ATOMIC_ACQUIRE) == kFirstBytes) grow(*h, kSecondBytes);
}

bool in_window(std::uintptr_t address) {
  return header() != nullptr && address - reinterpret_cast<std::uintptr_t>(file().window) < file().window_bytes;
}

ChunkHeader* take_chunk(ChunkType type, std::uint32_t owner, std::uint64_t first, std::size_t bytes) {
  Header* h = header();
  if (h == nullptr) return nullptr;
  const std::uint64_t length = (bytes + kGranule - 1) / kGranule * kGranule;
  std::uint64_t at = __atomic_load_n(&h->tail, __ATOMIC_RELAXED);
  do {
    if (at + length > __atomic_load_n(&h->committed, __ATOMIC_ACQUIRE) && !grow(*h, at + length)) return nullptr;
  } while (!__atomic_compare_exchange_n(&h->tail, &at, at + length, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  auto* chunk = reinterpret_cast<ChunkHeader*>(file().window + at);
  chunk->type = type;
  chunk->offset = at;
  chunk->bytes = static_cast<std::uint32_t>(length);
  chunk->owner = owner;
  chunk->first = first;
  __atomic_store_n(&chunk->magic, kChunkMagic, __ATOMIC_RELEASE);
  return chunk;
}

void give_up_chunk(ChunkHeader* chunk) {
  __atomic_store_n(reinterpret_cast<std::uint32_t*>(&chunk->type), static_cast<std::uint32_t>(ChunkType::Free),
                   __ATOMIC_RELEASE);
}

void prepare_file() {
  pages::wipe_in_child(current_header);
  pages::wipe_in_child(g_file);
}

}  // namespace prof::log
