#include "agent/range/started.hpp"

#include "agent/core/pages.hpp"

namespace prof::range {

// Null: there is no memory for them.
StartedRanges::Slot* StartedRanges::slots() {
  Slot* slots = slots_.load(std::memory_order_acquire);
  if (slots != nullptr) return slots;
  auto* made = static_cast<Slot*>(pages::map(kMost * sizeof(Slot), pages::InChild::Gone));
  if (made == nullptr || slots_.compare_exchange_strong(slots, made)) return made;
  pages::unmap(made, kMost * sizeof(Slot));
  return slots;
}

// Ids are handed out in turn: that the place of the next one is still held is rare.
std::uint64_t StartedRanges::put(const Open& range) {
  Slot* all = slots();
  for (std::uint32_t i = 0; all != nullptr && i < kMost; ++i) {
    const std::uint64_t id = last_id_.fetch_add(1, std::memory_order_relaxed) + 1;
    Slot& slot = all[id % kMost];
    std::uint64_t free = 0;
    if (!slot.id.compare_exchange_strong(free, kTaken)) continue;
    slot.range = range;
    slot.id.store(id, std::memory_order_release);
    return id;
  }
  return kNoStarted;
}

bool StartedRanges::take(std::uint64_t id, Open& range) {
  Slot* all = slots_.load(std::memory_order_acquire);
  if (id == 0 || id == kTaken || all == nullptr) return false;
  Slot& slot = all[id % kMost];
  if (!slot.id.compare_exchange_strong(id, kTaken)) return false;
  range = slot.range;
  slot.id.store(0, std::memory_order_release);
  return true;
}

}  // namespace prof::range
