// The blocks that were sampled and are still held, by address: every free asks whether its block was one of them.
//
// Most blocks were not, and must learn so in a nanosecond: a filter of small counters, indexed so that neighbouring
// blocks share cache lines, answers "surely not". Behind it stand open-addressing tables that grow by adding a larger
// one; nothing ever moves, so there is no lock: between malloc and free an address has one owner, and the allocator
// orders the rest.
#pragma once

#include <cstdint>

#include "agent/heap/gap.hpp"

namespace prof::heap {

struct LiveBlock {
  std::uint32_t node;  // of the allocating context
  Weight weight;
};

inline constexpr std::uint32_t kFilterEntries = 1 << 17;
extern std::uint8_t* const live_filter;

inline std::uint32_t filter_index(const void* block) {
  const auto a = reinterpret_cast<std::uintptr_t>(block);
  return static_cast<std::uint32_t>((a >> 4) + (a >> 21) * 0x9e3779b1U) & (kFilterEntries - 1);
}

// False: the block was surely not sampled. Any context.
inline bool maybe_live(const void* block) {
  return __atomic_load_n(&live_filter[filter_index(block)], __ATOMIC_RELAXED) != 0;
}

// Remembers a sampled block. False when there is no memory for it. Ordinary code.
bool remember(const void* block, const LiveBlock& live);

// Takes a block out: true and its data when it had been sampled. Ordinary code.
bool take(const void* block, LiveBlock& live);

void prepare_live_table();

}  // namespace prof::heap
