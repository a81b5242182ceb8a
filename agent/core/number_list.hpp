// Numbers from 1 on of things in a table that nobody uses, the last one first. No lock; any context.
#pragma once

#include <atomic>
#include <cstdint>

namespace prof {

// `next_of(number)` gives the place where the table keeps the number behind it: it may be read while another thread has
// taken the thing, and is not believed then. All zeros is an empty list.
class NumberList {
 public:
  template <class NextOf>
  void push(std::uint32_t number, const NextOf& next_of) {
    std::uint64_t seen = head_.load(std::memory_order_relaxed);
    do next_of(number) = static_cast<std::uint32_t>(seen);
    while (!head_.compare_exchange_weak(seen, after(seen) | number, std::memory_order_acq_rel));
  }
  // 0: there is none.
  template <class NextOf>
  std::uint32_t pop(const NextOf& next_of) {
    std::uint64_t seen = head_.load(std::memory_order_acquire);
    while (const auto first = static_cast<std::uint32_t>(seen)) {
      if (head_.compare_exchange_weak(seen, after(seen) | next_of(first), std::memory_order_acq_rel)) return first;
    }
    return 0;
  }

 private:
  // How often the list changed, above the number: what was taken and given back meanwhile is told from what was there
  // all the time.
  static constexpr std::uint64_t kChange = std::uint64_t{1} << 32;
  static std::uint64_t after(std::uint64_t head) { return (head & ~(kChange - 1)) + kChange; }
  std::atomic<std::uint64_t> head_{0};
};

}  // namespace prof
