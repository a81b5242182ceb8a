// Memory that keeps growing, by the line that allocates it.
#pragma once

#include <cstdint>
#include <vector>

#include "report/fold/memory/heap.hpp"
#include "report/fold/memory/trend.hpp"

namespace prof::fold {

// All contexts of one process and one kind of memory that the same line of the program's own Python code answers for;
// without such a line, those below the same innermost Python line; without Python, those that share their innermost
// three frames of interest.
struct Leak {
  std::size_t process = 0;  // index into Run::processes
  MemoryKind kind = MemoryKind::Heap;
  std::vector<std::uint32_t> stack;  // of the context that holds the most; location ids, leaf first
  std::size_t frame = 0;             // in `stack`: what answers for it
  std::size_t contexts = 0;          // that grew together
  std::int64_t held_bytes = 0;       // at the last moment
  Trend trend;
  std::vector<std::int64_t> values;  // bytes at each moment
  std::uint64_t interval_ns = 0;     // between moments

  double least_per_s() const { return trend.per_s - 2 * trend.error_per_s; }
};

// Why there may be none.
enum class LeaksKnown {
  Yes,
  ByThread,  // what is live cannot be told by thread
  Sampled,   // levels over time are recorded in exact mode only
  TooShort,  // no process lived long enough to be judged
};

struct Leaks {
  LeaksKnown known = LeaksKnown::Yes;
  std::vector<Leak> rows;  // by least_per_s(), descending
};

// Smaller growth is none.
inline constexpr std::int64_t kLeastGrowth = 4096;

// `tree` is that of the run and selection, with Granularity::Line.
Leaks leaks(const model::Run& run, const CallTree& tree, const Selection& selection);

}  // namespace prof::fold
