// Figures of durations: total, count, mean, median, least and most.
#pragma once

#include <cstdint>
#include <optional>

#include "report/model/metrics.hpp"
#include "report/show/figures.hpp"

namespace prof::show {

struct Times {
  std::int64_t total_ns = 0, count = 0;
  std::int64_t timed = 0;  // of `count`: those that the total is of
  model::Extremes each{};
  std::optional<double> median_ns{};
};

// `times` says them of a row. The share is of `whole`; `count_title` heads the count. Without `medians` in any row they
// are in no table.
template <class Row>
Figures<Row> time_figures(const char* count_title, bool medians, double whole, Times (*times)(const Row&)) {
  const auto mean = [](const Times& of) {
    return known_if(of.timed > 0, static_cast<double>(of.total_ns) / static_cast<double>(of.timed));
  };
  return {
      {{"share", "%", Kind::Share, "of all", Where::TableOnly},
       [=](auto& row) { return share(static_cast<double>(times(row).total_ns), whole); }},
      {{"total_ns", "total", Kind::Time}, [=](auto& row) { return times(row).total_ns; }},
      {{"calls", count_title, Kind::Count}, [=](auto& row) { return times(row).count; }},
      {{"avg_ns", "avg", Kind::Time}, [=](auto& row) { return mean(times(row)); }},
      {{"med_ns", "med", Kind::Time, "", shown_if(medians)}, [=](auto& row) { return maybe(times(row).median_ns); }},
      {{"min_ns", "min", Kind::Time}, [=](auto& row) { return maybe(times(row).each.min_ns); }},
      {{"max_ns", "max", Kind::Time}, [=](auto& row) { return maybe(times(row).each.max_ns); }}};
}

}  // namespace prof::show
