#include "report/model/process.hpp"

#include <algorithm>

namespace prof::model {

const char* to_string(Ending ending) {
  switch (ending) {
    case Ending::Exit:
      return "exit";
    case Ending::Killed:
      return "killed";
    case Ending::Exec:
      return "exec";
    case Ending::Running:
      return "running";
    case Ending::Unknown:
      break;
  }
  return "unknown";
}

Counters& Counters::operator+=(const Counters& other) {
#define PROF_ADDED(name) name = saturated_sum(name, other.name);
  PROF_THREAD_COUNTERS(PROF_ADDED)
#undef PROF_ADDED
  return *this;
}

std::string Process::command() const {
  if (argv.empty()) return exe.empty() ? "pid " + std::to_string(pid) : exe;
  std::string joined;
  for (const std::string& argument : argv) {
    if (!joined.empty()) joined += ' ';
    joined += argument;
  }
  return joined;
}

std::uint64_t Process::thread_count() const {
  std::uint64_t count = 0;
  for (const Thread& thread : threads) count += thread.agent ? 0 : std::uint64_t{thread.merged} + 1;
  return count;
}

bool seen_to_its_end(const Process& process) {
  return process.ending == Ending::Exit || process.ending == Ending::Exec || process.ending == Ending::Running;
}

bool saw_cuda(const Process& process) {
  const bool told = process.cuda && process.cuda->state != "off";
  return told || !process.tree.api.empty() || !process.devices.empty() || saw_devices(process);
}

bool saw_devices(const Process& process) {
  return !process.tree.device.empty() || (process.cuda && process.cuda->state == "active");
}

bool has_library(const Process& process, std::string_view end) {
  return std::any_of(process.modules.begin(), process.modules.end(),
                     [&](const Module& module) { return module.path.ends_with(end); });
}

}  // namespace prof::model
