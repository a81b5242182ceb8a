// The options behind ReadArguments, for the parser.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/cli/common/read_arguments.hpp"

namespace prof::cli {

// As typed: RUN, --focus, --ignore, --pid, --rank, --thread, --frames, --interpreter-frames, --no-ranges, --no-tasks,
// --no-backward-callers, --no-team-callers, --symbol-path, --no-cache and -o.
struct TypedReading {
  std::optional<std::string> run;
  std::string focus, ignore, frames, output;
  bool interpreter = false, no_ranges = false, no_tasks = false, no_backward_callers = false, no_team_callers = false,
       all_own = false, no_cache = false;
  std::vector<std::string> symbol_path, pids, ranks, threads, own;
};

// What options that take one of a few words take, for completion.
using WordsOf = std::map<const CLI::Option*, std::vector<std::string>>;

// Adds the options to a subcommand; `typed` must outlive the parsing.
void add_run_to_read(CLI::App& command, TypedReading& typed);
void add_selection(CLI::App& command, TypedReading& typed, WordsOf& words, const std::string& more_about_focus = {});
void add_own_code(CLI::App& command, TypedReading& typed);
void add_files(CLI::App& command, TypedReading& typed,
               const std::string& about_output = "write into this file instead of stdout");

// Throws UsageError. The expressions are not checked: see check_regex().
ReadArguments read_arguments(const TypedReading& typed);

// Throws UsageError when `text` is no regular expression.
void check_regex(const char* option, const std::string& text);

}  // namespace prof::cli
