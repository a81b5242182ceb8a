#include "report/show/processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "report/model/loss_text.hpp"
#include "report/model/text.hpp"
#include "report/show/names.hpp"

namespace prof::show {

std::vector<std::size_t> selected_processes(const Subject& subject) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < subject.run.processes.size(); ++i) {
    if (subject.selection.includes(subject.run.processes[i])) out.push_back(i);
  }
  return out;
}

std::uint64_t cpu_of(const Subject& subject, const std::vector<std::size_t>& chosen) {
  std::uint64_t sum = 0;
  for (const std::size_t i : chosen) sum = model::saturated_sum(sum, subject.run.processes[i].cpu_ns);
  return sum;
}

std::string command_label(const model::Process& process, bool wide) {
  std::string whole = process.command();
  if (wide) return whole;
  const std::string program = process.argv.empty() ? whole : process.argv.front();
  const std::string name(base_name(program));
  return name.empty() || whole.compare(0, program.size(), program) != 0 ? whole : name + whole.substr(program.size());
}

std::string ending(const model::Process& process) {
  switch (process.ending) {
    case model::Ending::Exit:
      return process.exit_code ? fmt::format("exit {}", *process.exit_code) : "exit";
    case model::Ending::Killed:
      if (!process.exit_code) return "killed";
      // Which asks a program to end: as a pool of multiprocessing does with its workers.
      return fmt::format("{} by {}", -*process.exit_code == SIGTERM ? "ended" : "killed",
                         signal_name(-*process.exit_code));
    case model::Ending::Exec:
    case model::Ending::Running:
    case model::Ending::Unknown:
      break;
  }
  return model::to_string(process.ending);
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

bool heap_recorded(const model::Process& process) {
  return process.heap_mode != log::HeapMode::Off && (process.conditions & log::kHeapNotSeen) == 0;
}

bool heap_recorded(const Subject& subject) {
  const auto& processes = subject.run.processes;
  return std::any_of(processes.begin(), processes.end(), [&](const model::Process& process) {
    return subject.selection.includes(process) && heap_recorded(process);
  });
}

bool any_python(const Subject& subject) {
  const auto& processes = subject.run.processes;
  return std::any_of(processes.begin(), processes.end(), [&](const model::Process& process) {
    return subject.selection.includes(process) && process.python.has_value();
  });
}

std::int64_t since_start(const model::Run& run, const model::Process& process, std::uint64_t monotonic_ns) {
  using model::saturated_difference;
  using model::to_signed;
  const std::int64_t start =
      saturated_difference(to_signed(process.start_realtime_ns), to_signed(run.start_realtime_ns));
  return model::saturated_sum(start,
                              saturated_difference(to_signed(monotonic_ns), to_signed(process.start_monotonic_ns)));
}

}  // namespace prof::show
