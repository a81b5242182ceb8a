// What one block leaves where that is all there is of it: in its context's strand, or in a record of one or two words.
// See format_strands.hpp and format_heap.hpp.
#pragma once

#include <cstdint>

#include "agent/heap/kinds.hpp"
#include "agent/log/file.hpp"

namespace prof::heap {

// How a block ended.
struct Fate {
  bool short_lived, temporary;
};

inline std::uint32_t in_life(Kind kind) { return kind == Kind::Malloc ? log::kBlockMalloc : log::kBlockPython; }

inline std::uint32_t new_life(Kind kind, bool reallocated) {
  return in_life(kind) | (reallocated ? std::uint32_t{log::kBlockReallocated} : 0);
}

// The BlockLife of a block that is freed in `epoch`; 0: it is none of that kind that is held, or too much happened
// meanwhile to be said.
inline std::uint32_t freed_life(std::uint32_t block, std::uint32_t life, Kind kind, std::uint32_t epoch, Fate fate) {
  const std::uint32_t age = epoch - log::block_epoch(block) + 1;
  if (age >= log::kBlockFreedNever || (life & log::kBlockKinds) != in_life(kind) || log::block_freed(life) != 0)
    return 0;
  return life | age * log::kBlockFreed | (fate.short_lived ? std::uint32_t{log::kBlockShortLived} : 0) |
         (fate.temporary ? std::uint32_t{log::kBlockTemporary} : 0);
}

inline log::HeapOnceWords& once(std::uint64_t* words) { return *reinterpret_cast<log::HeapOnceWords*>(words); }

inline bool is_once(const std::uint64_t* words, Kind kind) {
  return kind != Kind::Map && log::record_class(words[-1]) == classes_of(kind).once;
}
inline bool is_block(const std::uint64_t* words, Kind kind) {
  return kind != Kind::Map && log::record_class(words[-1]) == classes_of(kind).block;
}
inline bool is_small(const std::uint64_t* words, Kind kind) { return is_once(words, kind) || is_block(words, kind); }

// Notes in a small record that its block of `bytes` was freed. False: it is none of that size that is held, or cannot
// say so.
inline bool free_small(std::uint64_t* words, Kind kind, std::uint64_t bytes, std::uint32_t epoch, Fate fate) {
  if (is_block(words, kind)) {
    const auto block = static_cast<std::uint32_t>(*words >> 32), rest = static_cast<std::uint32_t>(*words);
    const std::uint32_t life = log::block_bytes(block) == bytes ? freed_life(block, rest, kind, epoch, fate) : 0;
    if (life != 0) __atomic_store_n(words, std::uint64_t{block} << 32 | life, __ATOMIC_RELEASE);
    return life != 0;
  }
  log::HeapOnceWords& r = once(words);
  if (r.epochs >> 32 != 0 || r.bytes_flags >> log::kOnceFlagBits != bytes) return false;
  if (fate.short_lived) r.bytes_flags |= log::kOnceShortLived;
  if (fate.temporary) r.bytes_flags |= log::kOnceTemporary;
  __atomic_store_n(&r.epochs, r.epochs | std::uint64_t{epoch} << 32, __ATOMIC_RELEASE);
  return true;
}

// Further blocks of a context have records of their own as long as they are few, and so small that what they hold
// would have no growth record.
inline constexpr std::uint32_t kMostBlocks = 5;

// The word for a block of `bytes` behind the block of `before` (0: it is the context's first), allocated in `epoch`; 0:
// there is none.
inline std::uint64_t block_word(std::uint64_t before, bool first, Kind kind, std::uint64_t bytes, std::uint32_t epoch,
                                bool reallocated) {
  constexpr std::uint32_t kSum = (1U << log::kBlocksBeforeShift) - 1;
  constexpr std::uint64_t kMost = log::kGrowthFrom;
  static_assert(kMost < kSum && kMost <= log::kMostBlockBytes);
  const auto seen = static_cast<std::uint32_t>(before) >> log::kBlockWriterShift;
  const std::uint32_t number = before == 0 ? 0 : (seen >> log::kBlocksBeforeShift) + 1;
  const std::uint64_t sum = (seen & kSum) + bytes;
  if (number >= kMostBlocks || sum > (first ? log::kMostBlockBytes : kMost) || epoch > log::kMostBlockEpoch) return 0;
  const std::uint32_t writers = (sum > kMost ? kSum : static_cast<std::uint32_t>(sum)) | number
                                                                                             << log::kBlocksBeforeShift;
  return std::uint64_t{log::block_of(static_cast<std::uint32_t>(bytes), epoch)} << 32 |
         writers << log::kBlockWriterShift | new_life(kind, reallocated);
}

}  // namespace prof::heap
