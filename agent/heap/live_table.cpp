#include "agent/heap/live_table.hpp"

#include <atomic>

#include "agent/core/pages.hpp"

namespace prof::heap {
namespace {

constexpr std::uint32_t kLevels = 10;
constexpr std::uint32_t kFirstEntries = 4096;  // each level four times the one before
constexpr std::uint32_t kMostProbes =
    8;  // four cache lines: removed entries are never empty again, so every miss looks at all
constexpr std::uintptr_t kEmpty = 0, kRemoved = 1, kBeingWritten = 2;  // no block has these addresses

struct Entry {
  std::atomic<std::uintptr_t> block;
  std::uint32_t node;
  std::uint32_t reserved;
  Weight weight;
};

struct Table {
  std::uint8_t filter[kFilterEntries];
  std::atomic<Entry*> levels[kLevels];
};
constinit pages::Wiped<Table> g_table{};

std::uint32_t entries_of(std::uint32_t level) { return kFirstEntries << (2 * level); }

std::uint32_t home(std::uintptr_t block, std::uint32_t level) {
  return static_cast<std::uint32_t>((block * 0x9e3779b97f4a7c15ULL) >> 40) & (entries_of(level) - 1);
}

Entry* level_entries(std::uint32_t level, bool make) {
  auto& slot = g_table.value.levels[level];
  Entry* entries = slot.load(std::memory_order_acquire);
  if (entries != nullptr || !make) return entries;
  const std::size_t bytes = entries_of(level) * sizeof(Entry);
  auto* made = static_cast<Entry*>(pages::map(bytes, pages::InChild::Gone));
  if (made == nullptr) return nullptr;
  if (slot.compare_exchange_strong(entries, made)) return made;
  pages::unmap(made, bytes);
  return entries;
}

// Counters stick at their maximum: their block's removal can then no longer be told from another's.
void count_in_filter(const void* block, int delta) {
  std::uint8_t& counter = g_table.value.filter[filter_index(block)];
  std::uint8_t old = __atomic_load_n(&counter, __ATOMIC_RELAXED);
  do {
    if (old == 255) return;
  } while (!__atomic_compare_exchange_n(&counter, &old, static_cast<std::uint8_t>(old + delta), true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
}

bool put(Entry* entries, std::uint32_t level, std::uintptr_t block, const LiveBlock& live) {
  std::uint32_t i = home(block, level);
  for (std::uint32_t probe = 0; probe < kMostProbes; ++probe, i = (i + 1) & (entries_of(level) - 1)) {
    Entry& e = entries[i];
    std::uintptr_t seen = e.block.load(std::memory_order_relaxed);
    if ((seen != kEmpty && seen != kRemoved) || !e.block.compare_exchange_strong(seen, kBeingWritten)) continue;
    e.node = live.node;
    e.weight = live.weight;
    e.block.store(block, std::memory_order_release);
    return true;
  }
  return false;
}

}  // namespace

constinit std::uint8_t* const live_filter = g_table.value.filter;

bool remember(const void* block, const LiveBlock& live) {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    Entry* entries = level_entries(level, true);
    if (entries == nullptr) return false;
    if (!put(entries, level, address, live)) continue;
    count_in_filter(block, +1);
    return true;
  }
  return false;
}

bool take(const void* block, LiveBlock& live) {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    Entry* entries = level_entries(level, false);
    if (entries == nullptr) return false;
    std::uint32_t i = home(address, level);
    for (std::uint32_t probe = 0; probe < kMostProbes; ++probe, i = (i + 1) & (entries_of(level) - 1)) {
      const std::uintptr_t seen = entries[i].block.load(std::memory_order_acquire);
      if (seen == kEmpty) break;
      if (seen != address) continue;
      live = {entries[i].node, entries[i].weight};
      entries[i].block.store(kRemoved, std::memory_order_release);
      count_in_filter(block, -1);
      return true;
    }
  }
  return false;
}

void prepare_live_table() { pages::wipe_in_child(g_table); }

}  // namespace prof::heap
