// `prof report [RUN]`
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "report/cli/choices.hpp"

namespace prof::cli {

struct ReportArguments {
  std::optional<std::filesystem::path> run;
  show::View view = show::View::Summary;
  std::optional<show::SortKey> sort;
  std::optional<std::size_t> limit;
  std::string focus, ignore, function;  // regular expressions; checked
  std::vector<std::uint32_t> pids;
  std::vector<std::string> threads;  // names or tids
  Format format = Format::Table;
  std::optional<model::Measure> metric;
  bool bottom_up = false;
  double min_percent = 1.0;
  std::vector<std::filesystem::path> symbol_path;
  bool wide = false;
  show::ColourChoice colour = show::ColourChoice::Auto;
  std::optional<std::filesystem::path> output;
};

// Writes the report to stdout or to the file that was asked for. Returns the exit status. Throws model::LoadError when
// there is nothing to report on, and UsageError.
int report_command(const ReportArguments& arguments);

}  // namespace prof::cli
