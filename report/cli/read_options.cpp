#include "report/cli/read_options.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "report/cli/choices.hpp"
#include "report/cli/common/usage_error.hpp"
#include "report/cli/whole_number.hpp"
#include "report/fold/pattern.hpp"

namespace prof::cli {

void add_run_to_read(CLI::App& command, TypedReading& typed) {
  command
      .add_option("RUN", typed.run,
                  "run directory or log file; default: the newest run in this directory or in one in it")
      ->type_name("");
}

void add_selection(CLI::App& command, TypedReading& typed, WordsOf& words, const std::string& more_about_focus) {
  command
      .add_option("--focus", typed.focus,
                  "only stacks with a function, or a file of Python, that matches" + more_about_focus)
      ->type_name("REGEX");
  command.add_option("--ignore", typed.ignore, "no stacks with a function, or a file of Python, that matches")
      ->type_name("REGEX");
  command.add_option("--pid", typed.pids, "only these processes")
      ->type_name("PID")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--rank", typed.ranks, "only processes of this rank of a distributed job")
      ->type_name("N")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--thread", typed.threads, "only threads of this name or number")
      ->type_name("NAME|TID")
      ->delimiter(',')
      ->allow_extra_args(false);
  CLI::Option* const frames = command.add_option(
      "--frames", typed.frames,
      names_of(frames_choices()) + ": the frames of stacks; time of others goes to their callers; default: mixed");
  frames->type_name("KIND");
  words[frames] = spellings_of(frames_choices());
  command.add_flag("--interpreter-frames,--glue", typed.interpreter,
                   "show the Python interpreter's own frames between Python functions, and functions of C++ that only "
                   "hand a call on (std::function, thunks), too");
  command.add_flag("--no-ranges", typed.no_ranges, "leave ranges, which are the outermost frames, out of stacks");
  command.add_flag("--no-tasks", typed.no_tasks,
                   "leave tasks of asyncio, which stand below the event loop, out of stacks");
  command.add_flag("--no-backward-callers", typed.no_backward_callers,
                   "leave what PyTorch's threads do for backward() apart from the line that called it");
  command.add_flag("--no-team-callers", typed.no_team_callers,
                   "leave what threads of OpenMP and OpenBLAS do apart from the line that shared its work with them");
}

void add_own_code(CLI::App& command, TypedReading& typed) {
  command
      .add_option("--own", typed.own,
                  "own code is also what lies below this folder, such as a package that you work on; may be given "
                  "several times")
      ->type_name("PATH")
      ->allow_extra_args(false);
  command.add_flag("--all", typed.all_own, "all code that has lines is own code: libraries and packages too");
}

void add_files(CLI::App& command, TypedReading& typed, const std::string& about_output) {
  command.add_option("-o,--output", typed.output, about_output)->type_name("FILE");
  command.add_option("--symbol-path", typed.symbol_path, "folder with debug files; may be given several times")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command.add_flag("--no-cache", typed.no_cache,
                   "look all names up again, and keep none for the next report (~/.cache/libprof)");
}

ReadArguments read_arguments(const TypedReading& typed) {
  ReadArguments out;
  // A shell makes it of a variable that is not set: the newest run instead would be another answer than was asked for.
  if (typed.run && typed.run->empty()) throw UsageError("RUN is the name of a run directory or log file, not ''");
  if (typed.run) out.run = *typed.run;
  if (!typed.output.empty()) out.output = typed.output;
  out.focus = typed.focus;
  out.ignore = typed.ignore;
  for (const std::string& path : typed.symbol_path) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      throw UsageError(fmt::format("--symbol-path takes a folder, and {} is none", in_quotes(path)));
    }
    out.symbol_path.emplace_back(path);
  }
  out.no_cache = typed.no_cache;
  out.threads = typed.threads;
  if (!typed.frames.empty()) out.fold.frames = chosen("--frames", typed.frames, frames_choices());
  for (const std::string& path : typed.own) {
    std::error_code error;
    const std::filesystem::path absolute = std::filesystem::weakly_canonical(path, error);
    if (path.empty() || error || !std::filesystem::exists(absolute, error)) {
      throw UsageError(fmt::format("--own takes a folder or a file, and {} is none", in_quotes(path)));
    }
    out.own.push_back(absolute.string());
  }
  out.all_own = typed.all_own;
  if (typed.interpreter) out.fold.interpreter = fold::InterpreterFrames::Show;
  if (typed.no_ranges) out.fold.ranges = fold::Ranges::Hide;
  if (typed.no_tasks) out.fold.tasks = fold::Tasks::Hide;
  if (typed.no_backward_callers) out.fold.backward = fold::Backward::Apart;
  if (typed.no_team_callers) out.fold.teams = fold::Teams::Apart;
  for (const std::string& pid : typed.pids) {
    const auto number = whole_number(pid);
    if (!number || *number == 0 || *number > UINT32_MAX) {
      throw UsageError(fmt::format("--pid takes the number of a process, not {}", in_quotes(pid)));
    }
    out.pids.push_back(static_cast<std::uint32_t>(*number));
  }
  for (const std::string& rank : typed.ranks) {
    const auto number = whole_number(rank);
    if (!number || *number > INT32_MAX) {
      throw UsageError(fmt::format("--rank takes the number of a rank, not {}", in_quotes(rank)));
    }
    out.ranks.push_back(static_cast<std::int32_t>(*number));
  }
  return out;
}

void check_regex(const char* option, const std::string& text) {
  try {
    const fold::Pattern checked(text);
  } catch (const fold::PatternError& error) {
    throw UsageError(fmt::format("{} {} is no regular expression: {}", option, in_quotes(text), error.what()));
  }
}

}  // namespace prof::cli
