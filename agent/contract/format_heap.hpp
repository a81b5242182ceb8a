// The memory counters of a log. Part of the contract in format.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::log {

inline constexpr std::uint64_t kCountUnit = 65536;

// In sampled mode each sampled block stands for 1/p blocks, p being its chance to be sampled; both estimates are
// unbiased per sample and are added up. In exact mode every block stands for itself. Counts are in units of
// 1/kCountUnit unless said otherwise. A free adds what its allocation added, to the record of the *allocating* context
// in the freeing thread's region: single records may be negative, sums over regions are not.
//   live bytes       = bytes - freed_bytes
//   live at the peak = epoch == PeakClock's epoch ? at_peak : live   (epoch 0: the record was never touched: live)
struct HeapWords {
  std::uint64_t count;
  std::uint64_t bytes;
  std::uint64_t freed_count;
  std::uint64_t freed_bytes;
  std::uint64_t at_peak;  // bytes, signed
  std::uint64_t epoch;
  std::uint64_t samples;  // blocks that were really seen, plain
  // Plain counts, of exact mode only:
  // Freed where the thread's last event before was an allocation of that context and size: as heaptrack counts them.
  std::uint64_t temporary;
  std::uint64_t short_lived;    // freed by their thread before it allocated kShortLife others
  std::uint64_t reallocations;  // allocations that a realloc made of an older block
  std::uint64_t moved_bytes;    // copied by those that could not stay in their place
  // Of both modes:
  std::uint64_t largest;     // bytes of the largest block; the maximum of all regions
  std::uint64_t checkpoint;  // PeakClock's checkpoint at the last write; see GrowthWords
  // Where this region's HeapSizesWords and GrowthWords of the context stand: offsets in the log, in units of 8 bytes:
  // growth:32 | sizes:32; 0: there are none. For the writer; readers find them by node and class.
  std::uint64_t companions;
  std::uint64_t growing;  // blocks that were no smaller than `largest` before them, plain
};
inline constexpr std::uint32_t kHeapWordCount = sizeof(HeapWords) / 8;
inline constexpr std::uint32_t kShortLife = 16;

// Exact mode: what one allocation leaves that is (so far) the only one of its context in its region, since most
// contexts of large programs come but once. It counts as one allocation of `bytes` bytes and, once freed_epoch is not
// 0, as one free; further events of the context go to a HeapWords record, which is added to this one.
//   live at the peak = epoch < E && (freed_epoch == 0 || freed_epoch == E) ? bytes : 0   with E, PeakClock's epoch
struct HeapOnceWords {
  std::uint64_t bytes_flags;  // bytes:56 | OnceFlag bits:8
  std::uint64_t epochs;  // PeakClock's at the free:32 (0: live) | at the allocation:32; 0 as a whole: not written yet
};
enum OnceFlag : std::uint64_t {
  kOnceTemporary = 1U << 0,
  kOnceShortLived = 1U << 1,
  kOnceReallocated = 1U << 2,
};
inline constexpr unsigned kOnceFlagBits = 8;
inline constexpr std::uint32_t kHeapOnceWordCount = sizeof(HeapOnceWords) / 8;

// Exact mode: one block in few bits, in a strand (see format_strands.hpp) or in a record of BlockWords. It says the
// same as a HeapOnceWords. A context may have several, of which each is a block of its own.
inline constexpr std::uint32_t kMostBlockBytes = 0xffff, kMostBlockEpoch = 0xffff;
inline constexpr std::uint32_t block_of(std::uint32_t bytes, std::uint32_t epoch) { return bytes << 16 | epoch; }
inline constexpr std::uint32_t block_bytes(std::uint32_t block) { return block >> 16; }
inline constexpr std::uint32_t block_epoch(std::uint32_t block) {
  return block & kMostBlockEpoch;
}  // at the allocation
// Without a kind there is no block (yet), and the rest means nothing.
enum BlockLife : std::uint32_t {
  kBlockMalloc = 1,  // one of these two, or 0
  kBlockPython = 2,
  kBlockKinds = 3,
  kBlockReallocated = 4,  // as kOnceReallocated
  kBlockTemporary = 8,    // as kOnceTemporary
  kBlockShortLived = 16,  // as kOnceShortLived
  kBlockFreed = 32,       // and above: epoch at the free - epoch at the allocation + 1; 0: not freed
};
inline constexpr std::uint32_t kBlockFreedNever = 2048;  // that is lower
inline constexpr std::uint32_t block_freed(std::uint32_t life) { return (life & 0xffff) / kBlockFreed; }

// Of a context's first block, and of those behind it for as long as they are few and so small that they would have no
// GrowthWords.
struct BlockWords {
  std::uint64_t block;  // as block_of:32 | for the writer, see below:16 | BlockLife:16; 0: not written yet
};
inline constexpr std::uint32_t kBlockWordCount = sizeof(BlockWords) / 8;
// The bytes of it and of the blocks before it (all ones: too many):11, and how many these are:5.
inline constexpr std::uint32_t kBlockWriterShift = 16, kBlocksBeforeShift = 11;

// Exact mode: allocations by size, plain counts, by powers of two: class i holds blocks of at most 16 << i bytes, the
// last one all larger ones. Only of a context and region that saw more than one class; without this record all
// allocations of its HeapWords are of the class of `largest`.
inline constexpr std::uint32_t kSizeClasses = 20;
struct HeapSizesWords {
  std::uint64_t count[kSizeClasses];
};
inline constexpr std::uint32_t kHeapSizesWordCount = sizeof(HeapSizesWords) / 8;
inline constexpr std::uint32_t size_class(std::uint64_t bytes) {
  if (bytes <= 16) return 0;
  const auto c = static_cast<std::uint32_t>(64 - __builtin_clzll(bytes - 1)) - 4;
  return c < kSizeClasses ? c : kSizeClasses - 1;
}

// How a context's live bytes developed: their value at up to kCheckpoints moments, evenly spaced since the start of the
// image. Time is counted in units of kCheckpointNs; moment i is (i + 1) << shift units. When all are used up, every
// second one is dropped and the distance doubles (shift + 1), for each record when it is next written. After `filled`
// moments, up to the last that PeakClock's checkpoint has passed, the value is the record's live bytes as they are.
// Made when a record that holds more than kGrowthFrom bytes (or less than -kGrowthFrom) passes a moment; a context
// without one held less at each of them, or allocated but once (HeapOnceWords), or a few small blocks (BlockWords).
inline constexpr std::uint64_t kCheckpointNs = 100'000'000;
inline constexpr std::uint32_t kCheckpoints = 64;
inline constexpr std::int64_t kGrowthFrom = 1024;
struct GrowthWords {
  std::uint64_t state;  // shift:32 | filled:32, stored last
  std::int64_t live[kCheckpoints];
};
inline constexpr std::uint32_t kGrowthWordCount = sizeof(GrowthWords) / 8;

// memcpy, memmove, strcpy and their families, called from one module into another: sampled by bytes like allocations.
struct CopyWords {
  std::uint64_t count;  // in units of 1/kCountUnit
  std::uint64_t bytes;
  std::uint64_t samples;
};
inline constexpr std::uint32_t kCopyWordCount = sizeof(CopyWords) / 8;

// Counters of one allocator-like thing (malloc, mmap, Python's objects): the process-wide side of "live" and "live at
// peak". Live bytes are those of the recorded contexts, so in sampled mode they are estimates. `epoch` starts at 1 and
// is raised whenever `live` passes `peak`; a record whose own epoch is older than it still holds its value of the last
// peak (see HeapWords). In exact mode threads hand their changes on in small lots, so `live` lags behind the records'
// sum by at most 0.2 percent of the peak, or a kilobyte where that is more; the sum is what holds.
struct alignas(64) PeakClock {
  std::uint64_t epoch;
  std::uint64_t peak_ns;     // CLOCK_MONOTONIC when `peak` was reached
  std::uint64_t checkpoint;  // the last moment that was passed: shift:32 | time in units of kCheckpointNs:32
  std::uint64_t reserved0[5];
  std::int64_t live;  // bytes
  std::int64_t peak;  // bytes
  std::uint64_t reserved1[6];
};
static_assert(sizeof(PeakClock) == 128);

}  // namespace prof::log
