// The memory of the process as a whole, over time and by kind. Part of the contract in format.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::log {

// A Series chunk: SeriesHeader, then two arrays of `points` SeriesPoint. The process's memory over time in a fixed
// room: slot n of a point is [n, n + 1) * (base_ns << shift) since start_ns; slots in which nobody passed have no
// point. When the array is full, pairs of slots are merged into the other array (shift + 1), and `published` then
// changes in one store: readers take array `active`, `count` points.
struct SeriesHeader {
  std::uint64_t published;  // generation:32 | shift:8 | active:8 | count:16
  std::uint64_t start_ns;   // CLOCK_MONOTONIC
  std::uint64_t base_ns;
  std::uint32_t points;
  std::uint32_t point_bytes;
  std::uint64_t reserved[4];
};
static_assert(sizeof(SeriesHeader) == 64);
inline constexpr std::uint64_t kSeriesBaseNs = 100'000'000;
inline constexpr std::uint32_t kSeriesPoints = 256;
struct SeriesPoint {
  std::uint64_t slot;
  std::int64_t heap_high;    // most live bytes of malloc in the slot, as far as anybody looked
  std::int64_t heap_live;    // at the last look in the slot, like those below
  std::int64_t maps_live;    // of the program's own mmaps
  std::int64_t python_live;  // of Python's own allocators
  std::uint64_t rss;         // bytes
  std::uint64_t rss_high;    // most in the slot
  std::uint64_t cpu_ns;      // CLOCK_PROCESS_CPUTIME_ID
  std::uint64_t rss_file;    // of rss_high, when that was seen: pages of files and of shared memory
};
static_assert(sizeof(SeriesPoint) == 72);

// A Memory chunk: MemoryRecord[2]. What the resident memory was made of: [0] at the last look, [1] at the look with the
// highest rss. A record with an odd `sequence` is being written.
enum class MemoryPart : std::uint32_t {
  Code,       // executable mappings of files, the vdso
  FileData,   // other mappings of files: read-only data, variables of libraries
  Heap,       // brk
  Arenas,     // anonymous memory that the program did not map itself: the allocator's arenas and large blocks
  MainStack,  // of the main thread
  Stacks,     // of other threads, as far as they are known
  Mapped,     // anonymous memory that the program mapped itself (class Map)
  Shared,     // shared memory: shm, memfd, devices
  Agent,      // libprof.so, its log and its own memory
  JavaHeap,   // what a Java VM keeps for objects
  Count
};
inline constexpr std::uint32_t kMemoryParts = 12;
static_assert(static_cast<std::uint32_t>(MemoryPart::Count) <= kMemoryParts);
struct MemoryRecord {
  std::uint64_t sequence;
  std::uint64_t monotonic_ns;
  std::uint64_t rss, pss, uss, swap;               // bytes; uss: private pages
  std::int64_t heap_live, maps_live, python_live;  // as in SeriesPoint, at that moment
  std::uint64_t mappings;                          // number of them
  std::uint64_t reserved[6];
  struct Part {
    std::uint64_t size, rss, pss, uss;
  } parts[kMemoryParts];  // by MemoryPart
};
static_assert(sizeof(MemoryRecord) == 512);

}  // namespace prof::log
