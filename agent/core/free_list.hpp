// Objects that nobody uses, the last one first. No lock: neither a preempted thread nor a handler in the midst of it
// keeps anybody waiting. Any context.
#pragma once

#include <atomic>
#include <cstdint>

namespace prof {

// `next` may be read by one thread while another one has taken the object and uses it: the memory of objects must stay
// mapped for ever, and what is read then is not believed. All zeros is an empty list.
template <class T, T* T::*next>
class FreeList {
 public:
  void push(T* object) {
    std::uint64_t seen = head_.load(std::memory_order_relaxed);
    do object->*next = first(seen);
    while (
        !head_.compare_exchange_weak(seen, after(seen, object), std::memory_order_release, std::memory_order_relaxed));
  }
  // Null: there is none.
  T* pop() {
    std::uint64_t seen = head_.load(std::memory_order_acquire);
    while (T* object = first(seen)) {
      if (head_.compare_exchange_weak(seen, after(seen, object->*next), std::memory_order_acquire)) return object;
    }
    return nullptr;
  }

 private:
  // The address, and above it a count of changes, by which an object that was taken and given back meanwhile is told
  // from one that was there all the time.
  static constexpr unsigned kAddressBits = 48;
  static T* first(std::uint64_t head) { return reinterpret_cast<T*>(head & ((std::uint64_t{1} << kAddressBits) - 1)); }
  static std::uint64_t after(std::uint64_t head, T* object) {
    const std::uint64_t count = (head >> kAddressBits) + 1;
    return count << kAddressBits | reinterpret_cast<std::uintptr_t>(object);
  }
  std::atomic<std::uint64_t> head_{0};
};

}  // namespace prof
