#include "report/findings/processors.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "report/fold/waiting/accounting.hpp"
#include "report/model/text.hpp"

namespace prof::findings {

Processors processors(const Evidence& evidence) {
  Processors out;
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return out;
  const model::Process& main = evidence.run().processes[program->process];
  out.there = main.cpus;
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    out.cpu_ns = model::saturated_sum(out.cpu_ns, row.split.cpu_ns);
    if (!row.split.run_queue_known) continue;
    out.run_queue_known = true;
    out.run_queue_ns = model::saturated_sum(out.run_queue_ns, row.split.run_queue_ns);
  }
  const auto wall = static_cast<double>(evidence.run().wall_ns);
  if (wall <= 0) return out;
  out.used = static_cast<double>(out.cpu_ns) / wall;
  out.wanted = out.used + static_cast<double>(out.run_queue_ns) / wall;
  return out;
}

bool is_parallel_library(std::string_view path) {
  constexpr std::array<std::string_view, 6> kLibraries = {"libgomp", "libiomp",  "libomp",
                                                          "libtbb",  "openblas", "libmkl"};
  const std::string_view file = base_name(path);
  return std::any_of(kLibraries.begin(), kLibraries.end(),
                     [&](std::string_view name) { return file.find(name) != std::string_view::npos; });
}

bool in_compute_pool(const model::Process& process, const model::Thread& thread) {
  if (thread.agent || thread.main || !thread.start_routine) return false;
  const model::Frame& frame = process.tree.frames[*thread.start_routine];
  return frame.module < process.modules.size() && is_parallel_library(process.modules[frame.module].path);
}

Pool compute_pool(const model::Process& process) {
  Pool out;
  for (const model::Thread& thread : process.threads) {
    if (!in_compute_pool(process, thread)) continue;
    out.threads += std::int64_t{thread.merged} + 1;
    out.cpu_ns = model::saturated_sum(out.cpu_ns, model::to_signed(thread.cpu_ns));
  }
  return out;
}

std::vector<Place> computing_lines(const Evidence& evidence, const ThreadOf& thread) {
  const std::vector<bool>& imports = evidence.imports(thread.process);
  TimeByPlace sums(evidence);
  for (const StackTime& time : stack_times(evidence.run().processes[thread.process], thread.slot)) {
    if (!imports[time.node]) sums.add(thread.process, time.node, time.cpu_ns);
  }
  return sums.top();
}

}  // namespace prof::findings
