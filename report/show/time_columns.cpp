#include "report/show/time_columns.hpp"

#include <cmath>

#include "report/show/numbers.hpp"

namespace prof::show {

std::vector<Column> time_columns(const char* count_title, bool medians) {
  return {{"share", "%", Kind::Share, "of all", Where::TableOnly},
          {"total_ns", "total", Kind::Time},
          {"calls", count_title, Kind::Count},
          {"avg_ns", "avg", Kind::Time},
          {"med_ns", "med", Kind::Time, "", medians ? Where::Everywhere : Where::CsvOnly},
          {"min_ns", "min", Kind::Time},
          {"max_ns", "max", Kind::Time}};
}

std::vector<Cell> time_cells(std::int64_t total_ns, std::int64_t count, std::int64_t timed, const model::Extremes& each,
                             const std::optional<double>& median_ns, double whole) {
  const auto whole_ns = [](double ns) { return Cell(static_cast<std::int64_t>(std::llround(ns))); };
  return {share(static_cast<double>(total_ns), whole),
          total_ns,
          count,
          timed > 0 ? whole_ns(static_cast<double>(total_ns) / static_cast<double>(timed)) : Cell(),
          median_ns ? whole_ns(*median_ns) : Cell(),
          each.min_ns ? Cell(*each.min_ns) : Cell(),
          each.max_ns ? Cell(*each.max_ns) : Cell()};
}

}  // namespace prof::show
