// The command line: its commands, their options, and what was typed, before it is checked.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "report/cli/export/export_command.hpp"
#include "report/cli/page_options.hpp"
#include "report/cli/read_options.hpp"
#include "report/cli/report_command.hpp"

namespace prof::cli {

// What the parser fills in before it is checked.
struct Typed {
  bool verbose = false;
  std::vector<std::string> values;  // of option::kOptions, one each; empty: not given
  bool force = false;
  std::string on_window;

  TypedReading report_reading, export_reading;
  bool list_views = false;
  std::vector<std::string> sections;
  std::string view, sort, limit, min_percent, steps, group_by, format, metric, colour, language;
  ReportArguments report;
  std::string export_format, export_metric;
  ExportArguments exported;

  bool html = false;  // prof report
  TypedReading view_reading;
  TypedPage report_page, view_page;
  bool no_open = false;

  std::string completion_shell;
};

// Made once; it refers to itself.
class CommandLine {
 public:
  CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  CLI::App app{"", "prof"};
  Typed typed;
  WordsOf words;

 private:
  void add_run();
  void add_report();
  void add_export();
  void add_view();
  void add_completion();
  // An option that takes one of `choices`, which its help lists; `more` goes on.
  void add_choice(CLI::App& command, const char* names, std::string& to, std::vector<std::string> choices,
                  const char* type, const std::string& before, const std::string& more);
};

}  // namespace prof::cli
