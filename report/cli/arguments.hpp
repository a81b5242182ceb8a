// From what was typed to what is meant.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "report/cli/export/export_command.hpp"
#include "report/cli/page/page_command.hpp"
#include "report/cli/report_command.hpp"
#include "report/cli/run/run_command.hpp"

namespace prof::cli {

// `prof` without a command: the newest run, or how to begin.
struct NoCommand {};

// Text that was asked for: help, the version, completions.
struct Text {
  std::string text;
};

struct Arguments {
  bool verbose = false;
  std::variant<NoCommand, Text, RunArguments, ReportArguments, ExportArguments, PageArguments> command;
};

// `words`: the command line without the program's name. Throws UsageError.
Arguments parse(const std::vector<std::string>& words);

// What somebody reads who has no run yet: three commands to begin with.
std::string first_steps();

}  // namespace prof::cli
