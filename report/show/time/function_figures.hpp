// Functions in their order, and their figures.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "report/fold/time/functions.hpp"
#include "report/show/figures.hpp"
#include "report/show/view.hpp"

namespace prof::show {

using CallCounts = std::unordered_map<std::uint32_t, std::int64_t>;  // as fold::call_counts() has them

// Of options.language alone, where that is given.
std::vector<fold::FunctionRow> functions_in_order(const Subject& subject, const CallCounts& calls, SortKey key,
                                                  const ViewOptions& options);

// What it is given must outlive it. For a table of `rows`.
Figures<fold::FunctionRow> function_figures(const Subject& subject, const fold::CallTree& tree, const CallCounts& calls,
                                            const std::vector<fold::FunctionRow>& rows, const ViewOptions& options);

}  // namespace prof::show
