// Columns of durations: total, count, mean, median, least and most.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "report/model/metrics.hpp"
#include "report/show/sheet.hpp"

namespace prof::show {

// The columns of a list of times, and their cells: share of `whole`, total, count, mean, median, least and most.
// `count_title` heads the count; CSV keys are those of calls. Without `medians` in any row their column is in CSV
// alone.
std::vector<Column> time_columns(const char* count_title, bool medians);
std::vector<Cell> time_cells(std::int64_t total_ns, std::int64_t count, std::int64_t timed, const model::Extremes& each,
                             const std::optional<double>& median_ns, double whole);

}  // namespace prof::show
