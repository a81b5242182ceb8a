// The blocks that are held, by address: those that were sampled, or in exact mode all.
//
// In sampled mode most blocks were not sampled and must learn so in a nanosecond: a filter of small counters, indexed
// so that neighbouring blocks share cache lines, answers "surely not". Behind it stand open-addressing tables of 16
// bytes an entry, each twice as large as the one before; what is new goes to the largest. Nothing ever moves, so there
// is no lock: between malloc and free an address has one owner, and the allocator orders the rest.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/core/pages.hpp"
#include "agent/heap/kinds.hpp"

namespace prof::heap {

struct LiveBlock {
  std::uint32_t place;  // of the record that it was booked on, see growth.hpp
  Kind kind;
  std::uint8_t tag;     // of the caller's use
  std::uint64_t bytes;  // below kMostBytes
};
inline constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 38;

inline constexpr std::uint32_t kFilterEntries = 1 << 17;
using LiveFilter = std::uint8_t[kFilterEntries];
extern pages::Wiped<LiveFilter> live_filter;

inline std::uint32_t filter_index(const void* block) {
  const auto a = reinterpret_cast<std::uintptr_t>(block);
  return static_cast<std::uint32_t>((a >> 4) + (a >> 21) * 0x9e3779b1U) & (kFilterEntries - 1);
}

// False: the block was surely not remembered with Filtered::Yes. Any context.
inline bool maybe_live(const void* block) {
  return __atomic_load_n(&live_filter.value[filter_index(block)], __ATOMIC_RELAXED) != 0;
}

// Whether a block goes through the filter: the same for all blocks of a process.
enum class Filtered : bool { No, Yes };

enum class Remembered {
  Yes,
  Instead,  // of an older block at the same address, whose free nobody saw
  No,       // there is no memory for it, or its numbers are beyond the limits above
};

// The tables alone. Lives in memory that forked children find zeroed; all zeros is no table.
class LiveTable {
 public:
  // Kinds are those of the host's memory. Ordinary code.
  Remembered remember(const void* block, const LiveBlock& live);
  // Takes a block out: true and its data when it was known. Ordinary code.
  bool take(const void* block, LiveBlock& live);

 private:
  static constexpr std::uint32_t kLevels = 20;
  struct Entry;
  Entry* level_entries(std::uint32_t level);
  static Remembered put(Entry* entries, std::uint32_t level, std::uint64_t key, std::uint64_t data);
  static Entry* find(Entry* entries, std::uint32_t level, std::uint64_t address);

  std::atomic<Entry*> levels_[kLevels]{};
  std::atomic<std::uint32_t> newest_{0};
};

// The same of the host's blocks, with the filter. Ordinary code.
Remembered remember(const void* block, const LiveBlock& live, Filtered filtered);
bool take(const void* block, LiveBlock& live, Filtered filtered);

void prepare_live_table();

}  // namespace prof::heap
