// Nested ranges of addresses, flattened so that the innermost one at an address is one binary search away.
#pragma once

#include <cstdint>
#include <vector>

namespace prof::symbols {

struct Interval {
  std::uint64_t low = 0, high = 0;  // [low, high)
  std::uint32_t depth = 0;          // the deepest interval wins; of equals the one that was given first
  std::uint32_t value = 0;
};

class IntervalMap {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  IntervalMap() = default;
  explicit IntervalMap(std::vector<Interval> intervals);

  std::uint32_t find(std::uint64_t address) const;  // the value; kNone if no interval holds the address

 private:
  struct Step {
    std::uint64_t from = 0;
    std::uint32_t value = kNone;
  };
  std::vector<Step> steps_;  // ascending; each holds until the next
};

}  // namespace prof::symbols
