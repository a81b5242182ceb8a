// A bounded queue: any number of threads put something in, one at a time takes it out, and nobody waits. All zeros is
// the empty queue.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/core/signals_held.hpp"

namespace prof {

// T: plain data. kSlots: a power of two.
template <class T, std::uint32_t kSlots>
class Queue {
 public:
  static_assert((kSlots & (kSlots - 1)) == 0);

  // False: it is full. With signals held: a place that was taken and is never filled would end the queue.
  bool push(const T& value, const SignalsHeld&) {
    std::uint64_t at = tail_.load(std::memory_order_relaxed);
    for (;;) {
      Slot& slot = slots_[at % kSlots];
      const std::uint64_t free = at / kSlots * 2, state = slot.state.load(std::memory_order_acquire);
      if (state < free) return false;
      if (state > free) {
        at = tail_.load(std::memory_order_relaxed);
      } else if (tail_.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) {
        slot.value = value;
        slot.state.store(free + 1, std::memory_order_release);
        return true;
      }
    }
  }

  // One caller at a time. False: there is nothing, or what comes next is only being put in.
  bool pop(T& value) {
    const std::uint64_t at = head_.load(std::memory_order_relaxed);
    Slot& slot = slots_[at % kSlots];
    const std::uint64_t full = at / kSlots * 2 + 1;
    if (slot.state.load(std::memory_order_acquire) != full) return false;
    value = slot.value;
    slot.state.store(full + 1, std::memory_order_release);
    head_.store(at + 1, std::memory_order_release);
    return true;
  }

  // Whether all that was put in, or is being put in, was taken out.
  bool empty() const { return head_.load(std::memory_order_acquire) == tail_.load(std::memory_order_acquire); }
  // Whether there is something to take out. Any thread.
  bool ready() const {
    const std::uint64_t at = head_.load(std::memory_order_acquire);
    return slots_[at % kSlots].state.load(std::memory_order_acquire) == at / kSlots * 2 + 1;
  }

 private:
  struct Slot {
    std::atomic<std::uint64_t> state{0};  // twice the turns of the queue that it was in; one more: it is filled
    T value{};
  };
  std::atomic<std::uint64_t> head_{0}, tail_{0};
  Slot slots_[kSlots]{};
};

}  // namespace prof
