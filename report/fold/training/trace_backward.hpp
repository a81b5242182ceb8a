// Which backward function in a trace comes of which operator.
#pragma once

#include <cstddef>
#include <vector>

#include "report/model/process.hpp"

namespace prof::fold {

// Indices into Trace::events.
struct BackwardLink {
  std::size_t forward = 0, backward = 0;
};

// True of an operator's event that is a backward function's.
bool is_backward(const model::Process& process, const model::TraceEvent& event);

// One for each backward function whose maker is in the trace, in the order of their beginning: from the innermost
// operator that was running when PyTorch gave the function its number. Of functions of one number within each other the
// outermost one alone. `process` has a trace.
std::vector<BackwardLink> backward_links(const model::Process& process);

}  // namespace prof::fold
