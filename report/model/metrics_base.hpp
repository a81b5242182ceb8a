// Sums that stay in range, and what is counted of memory.
#pragma once

#include <cstdint>
#include <optional>

#include "agent/contract/format_heap.hpp"

namespace prof::model {

// a + b, staying at the ends of the range: sums over hostile logs must not be undefined.
inline std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? INT64_MAX : INT64_MIN;
}
inline std::int64_t saturated_difference(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? INT64_MAX : INT64_MIN;
}
inline std::int64_t to_signed(std::uint64_t value) {
  return value > static_cast<std::uint64_t>(INT64_MAX) ? INT64_MAX : static_cast<std::int64_t>(value);
}
inline std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }

// The least and the most of times of which there may be none.
struct Extremes {
  std::optional<std::int64_t> min_ns, max_ns;
  Extremes& operator+=(const Extremes& other);
  bool operator==(const Extremes&) const = default;
};
// Of two words of a record that counted times. UINT64_MAX as the least: the log does not say.
Extremes extremes(std::uint64_t min_ns, std::uint64_t max_ns);

// A count in units of 1/log::kCountUnit, rounded.
std::int64_t whole(std::int64_t units);

// Memory of one kind (malloc, mmap, Python's own allocators). With HeapMode::Sampled every figure but `samples`,
// `growing` and `largest` is an unbiased estimate; with HeapMode::Exact all are exact.
struct MemoryMetric {
  std::int64_t count_units = 0;  // allocations, in 1/log::kCountUnit: estimates are not whole numbers
  std::int64_t bytes = 0;        // allocated
  std::int64_t freed_units = 0;
  std::int64_t freed_bytes = 0;
  std::int64_t peak_bytes = 0;  // live when its process had the most live bytes
  std::int64_t samples = 0;     // blocks that were really seen
  std::int64_t growing = 0;     // of them, those no smaller than any before at their place, by thread
  // 0 and without a meaning unless the mode is HeapMode::Exact:
  std::int64_t temporary = 0;      // freed when their thread's last event was an allocation of that place and size
  std::int64_t short_lived = 0;    // freed by their thread before it allocated log::kShortLife others
  std::int64_t reallocations = 0;  // allocations that a realloc made of an older block
  std::int64_t moved_bytes = 0;    // copied by those that could not stay in their place

  std::int64_t largest = 0;  // bytes of the largest block that was seen; the one figure that is no sum

  std::int64_t allocations() const;       // rounded to whole ones
  std::int64_t live_allocations() const;  // rounded; never negative
  std::int64_t live_bytes() const;        // now, or when the process ended; never negative

  MemoryMetric& operator+=(const MemoryMetric& other);
  bool operator==(const MemoryMetric&) const = default;
  bool empty() const { return *this == MemoryMetric{}; }
};
MemoryMetric metric_of(const log::HeapWords& words);  // without peak_bytes: that takes the epoch of the peak

}  // namespace prof::model
