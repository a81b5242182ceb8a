// What the view of operators by step says of its steps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/fold/training/operators.hpp"

namespace prof::show {

// Where the figures come from, which steps the trace has and which of them it has only in part; or why there is nothing
// to show. `ops` as operators_by_step() gives them, of the step `only` where there is one.
std::vector<std::string> step_captions(const fold::Operators& ops, std::optional<std::int64_t> only);

}  // namespace prof::show
