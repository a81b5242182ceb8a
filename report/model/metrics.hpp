// What is counted on one context: plain sums that can be added up over threads, contexts and processes.
#pragma once

#include <cstdint>

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

struct CpuMetric {
  std::int64_t samples = 0;
  std::int64_t ns = 0;

  CpuMetric& operator+=(const CpuMetric& other);
  bool operator==(const CpuMetric&) const = default;
  bool empty() const { return samples == 0 && ns == 0; }
};

// Memory of one kind (malloc, mmap, Python's own allocators). With HeapMode::Sampled every figure but `samples` and
// `largest` is an unbiased estimate; with HeapMode::Exact all are exact.
struct MemoryMetric {
  std::int64_t count_units = 0;  // allocations, in 1/log::kCountUnit: estimates are not whole numbers
  std::int64_t bytes = 0;        // allocated
  std::int64_t freed_units = 0;
  std::int64_t freed_bytes = 0;
  std::int64_t peak_bytes = 0;  // live when its process had the most live bytes
  std::int64_t samples = 0;     // blocks that were really seen
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

// What memcpy and its family copied from one module into another: estimates from samples.
struct CopyMetric {
  std::int64_t count_units = 0;  // calls, in 1/log::kCountUnit
  std::int64_t bytes = 0;
  std::int64_t samples = 0;  // calls that were really seen

  std::int64_t copies() const;  // rounded to whole ones

  CopyMetric& operator+=(const CopyMetric& other);
  bool operator==(const CopyMetric&) const = default;
  bool empty() const { return *this == CopyMetric{}; }
};

// Exact calls along one edge caller -> callee; see log::CallWords.
struct CallMetric {
  std::int64_t calls = 0;
  std::int64_t primitive = 0;      // of a callee that was not already on the thread's stack
  std::int64_t self_ns = 0;        // wall time in the callee itself
  std::int64_t outer_ns = 0;       // wall time of the primitive calls, what they called included
  std::int64_t edge_calls = 0;     // of an edge that was not already on the stack
  std::int64_t edge_outer_ns = 0;  // wall time of these
  std::int64_t raised = 0;         // ended by an exception

  CallMetric& operator+=(const CallMetric& other);
  bool operator==(const CallMetric&) const = default;
  bool empty() const { return *this == CallMetric{}; }
};

// Exact executions of one line.
struct LineMetric {
  std::int64_t hits = 0;
  std::int64_t ns = 0;  // wall time, what the line called included

  LineMetric& operator+=(const LineMetric& other);
  bool operator==(const LineMetric&) const = default;
  bool empty() const { return *this == LineMetric{}; }
};

struct Metrics {
  CpuMetric cpu;
  MemoryMetric heap;    // malloc and its family
  MemoryMetric maps;    // mmap and its family
  MemoryMetric python;  // Python's own allocators, without what they got from malloc
  CopyMetric copies;
  // What contexts of malloc that grew in the second half of their process gained there, as far as live bytes were
  // followed over time.
  std::int64_t growth_bytes = 0;

  Metrics& operator+=(const Metrics& other);
  bool operator==(const Metrics&) const = default;
  bool empty() const { return *this == Metrics{}; }
};

// One number of Metrics, to sort and to draw by.
enum class Measure {
  CpuTime,  // ns
  CpuSamples,
  Allocations,  // of malloc; rounded
  Allocated,    // bytes, like all below
  Live,
  Peak,
  MapAllocated,
  MapLive,
  MapPeak,
  Temporary,  // allocations; rounded, like Reallocations
  Reallocations,
  Moved,  // bytes, like all below
  Growth,
  PythonAllocated,
  PythonLive,
  PythonPeak,
  Copied,
};
std::int64_t value_of(const Metrics& metrics, Measure measure);

}  // namespace prof::model
