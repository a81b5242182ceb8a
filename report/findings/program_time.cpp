#include "report/findings/program_time.hpp"

#include <algorithm>

namespace prof::findings {

const char* no_python_frames(const Evidence& evidence) {
  for (const model::Process& process : evidence.run().processes) {
    if (evidence.selection().includes(process) && process.python && process.python->frames) return nullptr;
  }
  return "no frames of Python were recorded";
}

std::vector<LineTime> line_times(const Evidence& evidence, const ThreadOf& thread) {
  const model::Process& process = evidence.run().processes[thread.process];
  const std::vector<bool> imports = import_stacks(evidence, thread.process);
  std::vector<LineTime> out;
  for (const StackTime& time : stack_times(process, thread.slot)) {
    if (imports[time.node]) continue;
    const std::uint32_t node = evidence.lines().node_of(thread.process, time.node);
    if (node == fold::CallTree::kNoNode) continue;
    const bool idle = time.waits && evidence.idle()[node];
    if (idle && time.cpu_ns == 0) continue;
    out.push_back({node, time.cpu_ns, idle ? 0 : time.blocked_ns, idle || time.blocked_ns <= 0 ? 0 : time.waited_ns,
                   idle ? 0 : time.calls, time.waits});
  }
  return out;
}

double share_of_life(const Evidence& evidence, const ThreadOf& thread, std::int64_t ns) {
  if (!evidence.has_steps()) return thread_share(evidence, thread, ns);
  const std::int64_t wall = model::to_signed(evidence.run().processes[thread.process].wall_ns());
  return ns > 0 && wall > 0 ? std::min(1.0, static_cast<double>(ns) / static_cast<double>(wall)) : 0;
}

CpuAt cpu_at(const Evidence& evidence, const std::function<bool(std::uint32_t node)>& is) {
  CpuAt out;
  TimeByPlace sums(evidence);
  const auto& nodes = evidence.lines().nodes();
  for (std::uint32_t node = 1; node < nodes.size(); ++node) {
    const std::int64_t ns = nodes[node].self.cpu.ns;
    if (ns <= 0 || evidence.lines().function(node).name == "(profiler)") continue;
    out.all_ns = model::saturated_sum(out.all_ns, ns);
    if (!is(node)) continue;
    out.ns = model::saturated_sum(out.ns, ns);
    if (const auto place = evidence.own_place(node)) sums.add(*place, ns);
  }
  out.places = sums.top();
  return out;
}

double share_of_wall(const Evidence& evidence, const CpuAt& cpu) {
  const auto wall = static_cast<double>(model::to_signed(evidence.run().wall_ns));
  if (wall <= 0 || cpu.all_ns <= 0) return 0;
  const double busy = std::max(1.0, static_cast<double>(cpu.all_ns) / wall);
  return std::min(1.0, static_cast<double>(cpu.ns) / busy / wall);
}

}  // namespace prof::findings
