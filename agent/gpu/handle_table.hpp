// What is known of a library's handles: descriptors, plans. Handles come back after they were given up, so that what is
// entered anew replaces what stood there. Ordinary code. Lives in pages::Wiped.
#pragma once

#include <cstdint>

#include "agent/core/lock.hpp"
#include "agent/core/pages.hpp"

namespace prof::gpu {

// Value: plain data. kSlots: a power of two; three quarters as many handles are known at most. Memory follows their
// number: they stand one after the other, and the slots hold their places.
template <class Value, std::uint32_t kSlots>
class HandleTable {
 public:
  static constexpr std::uint32_t kMost = kSlots / 4 * 3;

  // Handle 0 is none. False: there is no room.
  bool enter(std::uint64_t handle, const Value& value) {
    Locked locked(lock_);
    if (handle == 0 || !has_memory()) return false;
    std::uint32_t& slot = slots_[slot_of(handle)];
    if (slot == 0) {
      if (count_ >= kMost) return false;
      slot = ++count_;
    }
    entries_[slot - 1] = {handle, value};
    return true;
  }

  // Calls `with` on what is known of the handle, if anything is; no other thread sees it meanwhile. `with` also takes a
  // function that finds other handles' values: null for unknown ones.
  template <class With>
  void look(std::uint64_t handle, With with) {
    Locked locked(lock_);
    const auto find = [this](std::uint64_t h) { return found(h); };
    if (Value* value = find(handle)) with(*value, find);
  }

  void remove(std::uint64_t handle) {
    Locked locked(lock_);
    if (found(handle) == nullptr) return;
    const std::uint32_t slot = slot_of(handle);
    const std::uint32_t place = slots_[slot];
    // The last one fills the gap.
    if (place != count_) {
      slots_[slot_of(entries_[count_ - 1].handle)] = place;
      entries_[place - 1] = entries_[count_ - 1];
    }
    --count_;
    // The slots that follow move up, unless one would come to stand before its own.
    std::uint32_t hole = slot;
    for (std::uint32_t i = next(hole); slots_[i] != 0; i = next(i)) {
      const std::uint32_t home = home_of(entries_[slots_[i] - 1].handle);
      if (((i - home) & (kSlots - 1)) < ((i - hole) & (kSlots - 1))) continue;
      slots_[hole] = slots_[i];
      hole = i;
    }
    slots_[hole] = 0;
  }

  std::uint32_t count() {
    Locked locked(lock_);
    return count_;
  }

 private:
  struct Entry {
    std::uint64_t handle;
    Value value;
  };

  bool has_memory() {
    if (slots_ != nullptr) return true;
    constexpr std::size_t slots = kSlots * sizeof(std::uint32_t);
    auto* memory = static_cast<char*>(pages::map(slots + kMost * sizeof(Entry), pages::InChild::Gone));
    if (memory == nullptr) return false;
    slots_ = reinterpret_cast<std::uint32_t*>(memory);
    entries_ = reinterpret_cast<Entry*>(memory + slots);
    return true;
  }
  static std::uint32_t home_of(std::uint64_t handle) {
    return static_cast<std::uint32_t>(handle * 0x9e3779b97f4a7c15ULL >> 32) & (kSlots - 1);
  }
  static std::uint32_t next(std::uint32_t i) { return (i + 1) & (kSlots - 1); }
  // Of the handle, or the empty one where it belongs.
  std::uint32_t slot_of(std::uint64_t handle) const {
    std::uint32_t i = home_of(handle);
    while (slots_[i] != 0 && entries_[slots_[i] - 1].handle != handle) i = next(i);
    return i;
  }
  Value* found(std::uint64_t handle) {
    if (handle == 0 || slots_ == nullptr) return nullptr;
    const std::uint32_t place = slots_[slot_of(handle)];
    return place != 0 ? &entries_[place - 1].value : nullptr;
  }

  SpinLock lock_;
  std::uint32_t count_ = 0;
  std::uint32_t* slots_ = nullptr;  // 0: empty; else a place among the entries, from 1 on
  Entry* entries_ = nullptr;
};

}  // namespace prof::gpu
