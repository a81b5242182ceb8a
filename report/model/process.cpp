#include "report/model/process.hpp"

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
  allocations = saturated_sum(allocations, other.allocations);
  allocated_bytes = saturated_sum(allocated_bytes, other.allocated_bytes);
  frees = saturated_sum(frees, other.frees);
  reallocations = saturated_sum(reallocations, other.reallocations);
  maps = saturated_sum(maps, other.maps);
  mapped_bytes = saturated_sum(mapped_bytes, other.mapped_bytes);
  unmaps = saturated_sum(unmaps, other.unmaps);
  unmapped_bytes = saturated_sum(unmapped_bytes, other.unmapped_bytes);
  cpu_samples = saturated_sum(cpu_samples, other.cpu_samples);
  heap_samples = saturated_sum(heap_samples, other.heap_samples);
  agent_ns = saturated_sum(agent_ns, other.agent_ns);
  foreign_frees = saturated_sum(foreign_frees, other.foreign_frees);
  copies = saturated_sum(copies, other.copies);
  copied_bytes = saturated_sum(copied_bytes, other.copied_bytes);
  python_allocations = saturated_sum(python_allocations, other.python_allocations);
  python_frees = saturated_sum(python_frees, other.python_frees);
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

}  // namespace prof::model
