#include "agent/range/started.hpp"

#include "agent/core/pages.hpp"

namespace prof::range {

std::uint64_t StartedRanges::put(const Open& range) {
  Locked locked(lock_);
  if (slots_ == nullptr) slots_ = static_cast<Slot*>(pages::map(kMost * sizeof(Slot), pages::InChild::Gone));
  if (slots_ == nullptr || count_ == kMost) return kNoStarted;
  // Ids are handed out in turn: that the place of the next one is still held is rare.
  do ++last_id_;
  while (slots_[last_id_ % kMost].id != 0);
  slots_[last_id_ % kMost] = {last_id_, range};
  ++count_;
  return last_id_;
}

bool StartedRanges::take(std::uint64_t id, Open& range) {
  Locked locked(lock_);
  if (id == 0 || slots_ == nullptr) return false;
  Slot& slot = slots_[id % kMost];
  if (slot.id != id) return false;
  range = slot.range;
  slot.id = 0;
  --count_;
  return true;
}

}  // namespace prof::range
