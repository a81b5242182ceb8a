// The steps of a loop in a trace, as torch.profiler's users know them: annotations "ProfilerStep#N", which tools divide
// a trace by.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "report/model/process.hpp"

namespace prof::fold {

// Ranges of torch.profiler's own schedule: it numbers them, and the log leaves the number out.
inline constexpr const char* kProfilerStep = "ProfilerStep#*";

struct TraceStep {
  std::int64_t number = 0;
  std::uint32_t tid = 0;
  std::uint64_t begin_monotonic_ns = 0, end_monotonic_ns = 0;
  std::optional<std::size_t> event;  // index into Trace::events: it is this annotation of torch.profiler's own
};

// The steps in which the trace has events of their thread, in the order of time. Those that torch.profiler's own
// schedule annotated, where there are any; else those that the process was seen to take, as far as each is known by
// itself. They lie within and around the other spans of their thread: an edge that falls into a span moves to its
// nearer end. `by_thread` as of trace_links.hpp.
std::vector<TraceStep> trace_steps(const model::Process& process, const std::vector<std::size_t>& by_thread);

}  // namespace prof::fold
