// `prof report [RUN]`
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/cli/choices.hpp"
#include "report/cli/common/read_arguments.hpp"

#include "report/summary/views.hpp"

namespace prof::cli {

struct ReportArguments : ReadArguments {
  const show::View* view = show::views().front();  // the summary
  std::optional<show::SortKey> sort;
  std::optional<std::size_t> limit;
  std::string function;  // regular expression; checked
  Format format = Format::Table;
  std::vector<const formats::JsonSection*> sections;  // json: none for all
  std::optional<model::Measure> metric;
  std::optional<symbols::Language> language;  // functions, lines: none for all
  bool bottom_up = false;
  bool by_function = false;  // own
  double min_percent = 1.0;
  std::optional<std::uint64_t> steps;  // never 0
  fold::OperatorGrouping group_by{};   // ops
  bool wide = false;
  show::ColourChoice colour = show::ColourChoice::Auto;
};

// Writes the report to stdout or to the file that was asked for. Returns the exit status. Throws model::LoadError when
// there is nothing to report on, and UsageError.
int report_command(const ReportArguments& arguments);

}  // namespace prof::cli
