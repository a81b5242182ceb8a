#include "report/model/load.hpp"

#include <malloc.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "report/model/build_process.hpp"
#include "report/model/build_wait.hpp"
#include "report/model/endings.hpp"
#include "report/model/java_threads.hpp"
#include "report/model/link.hpp"
#include "report/read/find_run.hpp"
#include "report/read/in_parallel.hpp"
#include "report/read/log_bytes.hpp"
#include "report/read/log_error.hpp"

namespace prof::model {
namespace {

void warn_of_damage(const Process& process, Run& run) {
  if (!process.damage.any()) return;
  std::string what;
  if (process.damage.truncated) what += ", is shorter than it should be";
  if (process.damage.bad_references != 0) {
    what += ", refers " + std::to_string(process.damage.bad_references) + " times to what is not there";
  }
  if (process.damage.bad_records != 0) {
    what += ", has " + std::to_string(process.damage.bad_records) + " records of a wrong length";
  }
  if (process.damage.bad_schema) what += ", has a description of its records that makes no sense";
  run.warnings.push_back(process.log_path.string() + " is damaged: it" + what.substr(1) +
                         ". What could be read is in the report");
}

// What came of one log: a process, or why there is none.
struct Loaded {
  std::optional<Process> process;
  std::optional<read::LogError> error;
};

Loaded load_log(const std::filesystem::path& path) {
  try {
    const read::LogBytes bytes = read::read_log_bytes(path);
    return {build_process(read::parse(bytes.earlier(), bytes.later()), path, bytes.disk_bytes), std::nullopt};
  } catch (const read::LogError& error) {
    return {std::nullopt, error};
  }
}

void load_logs(const std::vector<std::filesystem::path>& paths, Run& run) {
  std::vector<Loaded> logs(paths.size());
  read::in_parallel(paths.size(), 0, [&](std::size_t i) { logs[i] = load_log(paths[i]); });
  // What threads read and gave back again lies in arenas of their own, where nobody else takes it.
  malloc_trim(0);
  run.processes.reserve(paths.size());
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (logs[i].process) {
      run.processes.push_back(std::move(*logs[i].process));
      logs[i].process.reset();
      warn_of_damage(run.processes.back(), run);
    } else if (logs[i].error->fault() == read::Fault::Empty) {
      ++run.empty_logs;
    } else {
      ++run.unreadable_logs;
      run.warnings.push_back(paths[i].string() + " " + logs[i].error->what());
    }
  }
}

std::uint64_t end_realtime_ns(const Process& process) {
  return saturated_sum(process.start_realtime_ns, process.wall_ns());
}

[[noreturn]] void nothing_to_read(const Run& run, std::size_t files) {
  if (run.empty_logs == files) {
    throw LoadError(run.directory.string() + ": every log is empty (" + std::to_string(files) +
                    "): the processes were killed before they recorded anything");
  }
  std::string reasons;
  for (const std::string& warning : run.warnings) reasons += "\n  " + warning;
  throw LoadError("no log in " + run.directory.string() + " can be used:" + reasons +
                  "\n  logs are the files *.proflog that prof run COMMAND leaves in its run directory");
}

}  // namespace

void add_up(Run& run) {
  if (run.processes.empty()) return;
  run.run_id = run.processes.front().run_id;
  run.start_realtime_ns = run.processes.front().start_realtime_ns;
  std::uint64_t end = run.start_realtime_ns;
  for (const Process& process : run.processes) {
    end = std::max(end, end_realtime_ns(process));
    run.cpu_ns = saturated_sum(run.cpu_ns, process.cpu_ns);
    run.log_bytes = saturated_sum(run.log_bytes, process.log_bytes);
    run.totals += process.totals;
    run.conditions |= process.conditions;
    for (std::size_t i = 0; i < run.loss.size(); ++i) run.loss[i] = saturated_sum(run.loss[i], process.loss[i]);
  }
  run.wall_ns = end - run.start_realtime_ns;
}

std::uint64_t Run::process_count() const {
  return static_cast<std::uint64_t>(
      std::count_if(processes.begin(), processes.end(), [](const Process& p) { return !p.previous_image; }));
}

std::uint64_t Run::thread_count() const {
  std::uint64_t count = 0;
  for (const Process& process : processes) count += process.thread_count();
  return count;
}

Run load(const std::optional<std::filesystem::path>& where) {
  read::RunFiles files;
  try {
    files = read::find_run(where);
  } catch (const read::LogError& error) {
    throw LoadError(error.what());
  }
  Run run;
  run.directory = files.directory;
  run.warnings = files.warnings;
  load_logs(files.logs, run);
  if (run.processes.empty()) nothing_to_read(run, files.logs.size());
  link_processes(run.processes);
  settle_endings(run.processes, Host::now());
  count_open_calls(run.processes);
  for (Process& process : run.processes) {
    choose_java_main(process);
    tell_java_sleeps(process);
  }
  share_cpu_time(run.processes);
  add_up(run);
  return run;
}

}  // namespace prof::model
