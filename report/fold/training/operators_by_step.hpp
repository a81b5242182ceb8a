// Operators by the step of the loop that they ran in. The log's totals know no steps: what is told is what the trace
// has.
#pragma once

#include <cstdint>
#include <optional>

#include "report/fold/training/operators.hpp"

namespace prof::fold {

// Of the selected processes and threads, one row for each operator of each step; `step`: of that one alone. Rows stand
// by process and step, what ran outside of all steps last, then by self_ns. An operator belongs to the step in which it
// began, on whatever thread; its self time is without the operators inside, whichever step they belong to, so that self
// times add up. Neither memory nor FLOPs nor shapes are told. Focus and ignore as of operators().
Operators operators_by_step(const model::Run& run, const Selection& selection, std::optional<std::int64_t> step);

}  // namespace prof::fold
