// On how many of something lies each page of memory, modulo 4 GiB: whether a range may touch any of them is told
// without looking at all of them. Adding and removing must match.
#pragma once

#include <atomic>
#include <cstdint>

namespace prof {

// All zeros is empty. Any context, any thread.
class PageCounts {
 public:
  void add(std::uintptr_t low, std::uintptr_t high) { change(low, high, 1); }
  void remove(std::uintptr_t low, std::uintptr_t high) { change(low, high, static_cast<std::uint16_t>(-1)); }

  // False: nothing that is counted lies in the range.
  bool may_touch(std::uintptr_t low, std::uintptr_t high) const {
    if (low >= high) return false;
    if (large_.load(std::memory_order_relaxed) != 0 || pages(low, high) > kMostAsked) return true;
    for (std::uintptr_t page = first(low); page <= last(high); ++page) {
      if (counts_[page % kPages].load(std::memory_order_relaxed) != 0) return true;
    }
    return false;
  }

 private:
  static constexpr unsigned kShift = 12;
  static constexpr std::size_t kPages = std::size_t{1} << 20;
  static constexpr std::size_t kMostPages = 4096, kMostAsked = 1 << 16;

  static std::uintptr_t first(std::uintptr_t low) { return low >> kShift; }
  static std::uintptr_t last(std::uintptr_t high) { return (high - 1) >> kShift; }
  static std::size_t pages(std::uintptr_t low, std::uintptr_t high) { return last(high) - first(low) + 1; }
  void change(std::uintptr_t low, std::uintptr_t high, std::uint16_t by) {
    if (low >= high) return;
    if (pages(low, high) > kMostPages) {
      large_.fetch_add(by == 1 ? 1 : -1U, std::memory_order_relaxed);
      return;
    }
    for (std::uintptr_t page = first(low); page <= last(high); ++page)
      counts_[page % kPages].fetch_add(by, std::memory_order_relaxed);
  }

  std::atomic<std::uint32_t> large_;  // ranges too large to be counted by page
  std::atomic<std::uint16_t> counts_[kPages];
};

}  // namespace prof
