#include "report/cli/run/run_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "agent/contract/parse.hpp"
#include "report/cli/common/messages.hpp"
#include "report/cli/common/usage_error.hpp"
#include "report/cli/run/debugger.hpp"
#include "report/cli/run/executable.hpp"
#include "report/cli/run/keep_maps.hpp"
#include "report/cli/run/launch.hpp"
#include "report/cli/run/library.hpp"
#include "report/cli/run/note_end.hpp"
#include "report/cli/run/run_directory.hpp"
#include "report/cli/run/window_watch.hpp"
#include "report/show/commands.hpp"
#include "report/show/numbers.hpp"

namespace prof::cli {
namespace {

namespace fs = std::filesystem;

std::string value_of(const RunArguments& arguments, const char* variable) {
  for (const auto& [name, value] : arguments.variables) {
    if (name == variable) return value;
  }
  const char* inherited = std::getenv(variable);
  return inherited != nullptr ? inherited : "";
}

void tell_result(const fs::path& directory, std::size_t logs, bool warned) {
  const std::string shown = show::shown_path(directory).string();
  if (logs > 0) {
    say(fmt::format("{} in {}; see it with: prof report {}",
                    show::counted(static_cast<std::int64_t>(logs), "log", "logs"), shown, show::shell_word(shown)));
  } else {
    say(fmt::format("no log was written to {}: {}", shown,
                    warned
                        ? "see the warning above"
                        : "the program and its children ended before there was anything to record, or they run without "
                          "preloaded libraries (a cleared environment, another kind of libc)"));
  }
}

}  // namespace

int run_command(const RunArguments& arguments) {
  if (arguments.command.empty())
    throw UsageError("no command to run was given; for example: prof run -- python3 train.py");
  if (!arguments.on_window.empty() && value_of(arguments, "PROF_SCHEDULE").empty()) {
    throw UsageError("--on-window goes with --schedule, which says what a window is");
  }
  const fs::path library = find_library();
  const std::string out = value_of(arguments, "PROF_OUT");
  const fs::path directory = out.empty() ? usual_run_directory() : absolute_run_directory(out);
  check_run_directory(directory, arguments.force);
  bool quiet = false;
  parse_switch(value_of(arguments, "PROF_QUIET"), quiet);

  const Inspection inspection = inspect(arguments.command.front(), std::getenv("PATH"), library);
  if (inspection.problem) {
    say_error(inspection.problem->reason);
    return inspection.problem->status;
  }
  if (!quiet) {
    for (const std::string& warning : inspection.finding.warnings) say_warning(warning);
  }

  Launch launch;
  launch.command = with_ticks_passed(arguments.command);
  launch.environment = arguments.variables;
  launch.environment.emplace_back("PROF_OUT", directory.string());
  launch.environment.emplace_back("LD_PRELOAD", preload_value(library, std::getenv("LD_PRELOAD")));
  // The program starts a run of its own even where prof itself runs under libprof.so.
  launch.removed = {"PROF_RUN"};
  const std::size_t logs_before = count_logs(directory);
  WindowWatch windows(arguments.on_window, directory);
  if (!arguments.on_window.empty()) launch.started = [&windows] { windows.start(); };
  timespec began{};
  clock_gettime(CLOCK_REALTIME, &began);
  const Outcome outcome = run_and_wait(launch);
  if (outcome.exec_errno != 0) {
    say_error(fmt::format("{}: {}", arguments.command.front(), std::strerror(outcome.exec_errno)));
    return outcome.exec_errno == ENOENT ? 127 : 126;
  }
  note_end(directory, outcome);
  keep_perf_maps(directory, std::int64_t{began.tv_sec} * 1'000'000'000 + began.tv_nsec);
  windows.finish();
  if (!quiet) {
    const std::size_t logs = count_logs(directory);
    tell_result(directory, logs - std::min(logs, logs_before), !inspection.finding.warnings.empty());
  }
  end_like(outcome.status);
}

}  // namespace prof::cli
