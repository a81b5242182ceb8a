#include "agent/heap/live_table.hpp"

#include <atomic>

#include "agent/core/pages.hpp"

namespace prof::heap {
namespace {

constexpr std::uint32_t kFirstBits = 12;  // each level twice the one before
// Removed entries are never empty again, so every miss may look at all: eight cache lines in a row. With linear probing
// no room within 32 entries means that a level is about three quarters full.
constexpr std::uint32_t kMostProbes = 32;
constexpr std::uint64_t kEmpty = 0, kRemoved = 1;  // no block has these addresses
constexpr unsigned kAddressBits = 48, kTagBits = 8, kLowBits = 30, kKindBits = 2;
constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << kAddressBits) - 1;
constexpr std::uint64_t kLowMask = (std::uint64_t{1} << kLowBits) - 1;
static_assert(kMostBytes == std::uint64_t{1} << (64 - kAddressBits - kTagBits + kLowBits));

PROF_WIPED constinit pages::Wiped<LiveTable> g_table{};

std::uint32_t entries_of(std::uint32_t level) { return 1U << (kFirstBits + level); }

std::uint32_t home(std::uint64_t address, std::uint32_t level) {
  return static_cast<std::uint32_t>((address * 0x9e3779b97f4a7c15ULL) >> (64 - kFirstBits - level));
}

// Counters stick at their maximum: their block's removal can then no longer be told from another's.
void count_in_filter(const void* block, int delta) {
  std::uint8_t& counter = live_filter.value[filter_index(block)];
  std::uint8_t old = __atomic_load_n(&counter, __ATOMIC_RELAXED);
  do {
    if (old == 255) return;
  } while (!__atomic_compare_exchange_n(&counter, &old, static_cast<std::uint8_t>(old + delta), true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
}

}  // namespace

PROF_WIPED constinit pages::Wiped<LiveFilter> live_filter{};

struct LiveTable::Entry {
  std::atomic<std::uint64_t> key;  // bytes, the high part:8 | tag:8 | address:48
  std::uint64_t data;              // place:32 | kind:2 | bytes, the low part:30; its block's owner's alone
};

// The entries of a level, made if need be; null when there is no memory.
LiveTable::Entry* LiveTable::level_entries(std::uint32_t level) {
  auto& slot = levels_[level];
  Entry* entries = slot.load(std::memory_order_acquire);
  if (entries != nullptr) return entries;
  const std::size_t bytes = entries_of(level) * sizeof(Entry);
  auto* made = static_cast<Entry*>(pages::map(bytes, pages::InChild::Gone));
  if (made == nullptr) return nullptr;
  if (slot.compare_exchange_strong(entries, made)) return made;
  pages::unmap(made, bytes);
  return entries;
}

Remembered LiveTable::put(Entry* entries, std::uint32_t level, std::uint64_t key, std::uint64_t data) {
  const std::uint64_t address = key & kAddressMask;
  std::uint32_t i = home(address, level);
  for (std::uint32_t probe = 0; probe < kMostProbes; ++probe, i = (i + 1) & (entries_of(level) - 1)) {
    Entry& e = entries[i];
    std::uint64_t seen = e.key.load(std::memory_order_relaxed);
    if ((seen & kAddressMask) == address) {
      e.data = data;
      e.key.store(key, std::memory_order_release);
      return Remembered::Instead;
    }
    // The key is claimed before its data are there: nobody looks for this address before malloc has returned it.
    if ((seen != kEmpty && seen != kRemoved) || !e.key.compare_exchange_strong(seen, key)) continue;
    e.data = data;
    return Remembered::Yes;
  }
  return Remembered::No;
}

LiveTable::Entry* LiveTable::find(Entry* entries, std::uint32_t level, std::uint64_t address) {
  std::uint32_t i = home(address, level);
  for (std::uint32_t probe = 0; probe < kMostProbes; ++probe, i = (i + 1) & (entries_of(level) - 1)) {
    const std::uint64_t seen = entries[i].key.load(std::memory_order_acquire);
    if (seen == kEmpty) return nullptr;
    if ((seen & kAddressMask) == address) return &entries[i];
  }
  return nullptr;
}

Remembered LiveTable::remember(const void* block, const LiveBlock& live) {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  if (live.bytes >= kMostBytes || address > kAddressMask) return Remembered::No;
  const std::uint64_t key = (live.bytes >> kLowBits << kTagBits | live.tag) << kAddressBits | address;
  const std::uint64_t data =
      std::uint64_t{live.place} << 32 | static_cast<std::uint64_t>(live.kind) << kLowBits | (live.bytes & kLowMask);
  for (std::uint32_t level = newest_.load(std::memory_order_relaxed); level < kLevels; ++level) {
    Entry* entries = level_entries(level);
    if (entries == nullptr) return Remembered::No;
    const Remembered r = put(entries, level, key, data);
    if (r != Remembered::No) return r;
    std::uint32_t full = level;
    if (level + 1 < kLevels) newest_.compare_exchange_strong(full, level + 1, std::memory_order_relaxed);
  }
  return Remembered::No;
}

bool LiveTable::take(const void* block, LiveBlock& live) {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  for (std::uint32_t level = newest_.load(std::memory_order_relaxed) + 1; level-- > 0;) {
    Entry* entries = levels_[level].load(std::memory_order_acquire);
    Entry* e = entries == nullptr ? nullptr : find(entries, level, address);
    if (e == nullptr) continue;
    const std::uint64_t data = e->data, key = e->key.load(std::memory_order_relaxed);
    live = {static_cast<std::uint32_t>(data >> 32), static_cast<Kind>(data >> kLowBits & ((1U << kKindBits) - 1)),
            static_cast<std::uint8_t>(key >> kAddressBits),
            key >> (kAddressBits + kTagBits) << kLowBits | (data & kLowMask)};
    e->key.store(kRemoved, std::memory_order_release);
    return true;
  }
  return false;
}

Remembered remember(const void* block, const LiveBlock& live, Filtered filtered) {
  const Remembered r = g_table.value.remember(block, live);
  if (filtered == Filtered::Yes && r == Remembered::Yes) count_in_filter(block, +1);
  return r;
}

bool take(const void* block, LiveBlock& live, Filtered filtered) {
  if (!g_table.value.take(block, live)) return false;
  if (filtered == Filtered::Yes) count_in_filter(block, -1);
  return true;
}

void prepare_live_table() {
  pages::wipe_in_child(live_filter);
  pages::wipe_in_child(g_table);
}

}  // namespace prof::heap
