#include "report/findings/rules/training/ranks.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "report/model/text.hpp"

namespace prof::findings {
namespace {

using symbols::Language;

bool sets_up(const symbols::Function& function) {
  if (function.language != Language::Python) return false;
  constexpr std::array<std::string_view, 6> kSetUp = {"init_process_group",        "new_group",
                                                      "_new_process_group_helper", "destroy_process_group",
                                                      "_store_based_barrier",      "_verify_params_across_processes"};
  return std::find(kSetUp.begin(), kSetUp.end(), last_part(function.name)) != kSetUp.end();
}

bool by_gloo(const symbols::Function& function) {
  return function.language == Language::Native &&
         (function.name.find("ProcessGroupGloo") != std::string::npos || function.name.starts_with("gloo::"));
}

std::optional<RankTime> time_of(const Evidence& evidence, std::size_t index) {
  const model::Process& process = evidence.run().processes[index];
  const model::Thread* thread = program_thread(evidence, index);
  if (thread == nullptr) return std::nullopt;
  RankTime out;
  out.rank = process.rank.value_or(-1);
  out.thread = {index, thread->slot};
  const std::vector<bool> communication = communication_stacks(evidence, index);
  const std::vector<bool>& imports = evidence.imports(index);
  const std::vector<bool>& gloo = evidence.stacks(index, by_gloo);
  std::int64_t imports_ns = 0;
  for (const StackTime& time : stack_times(process, thread->slot)) {
    if (imports[time.node]) {
      imports_ns = model::saturated_sum(imports_ns, time.ns());
    } else if (communication[time.node]) {
      out.communication_ns = model::saturated_sum(out.communication_ns, time.ns());
      out.gloo |= gloo[time.node];
    }
  }
  out.wall_ns = thread_wall(evidence, out.thread);
  for (const fold::StepTable& table : evidence.steps()) {
    if (table.process == index) out.steps = table.count;
  }
  if (out.steps == 0) out.wall_ns = model::saturated_difference(out.wall_ns, imports_ns);
  out.wall_ns = std::max<std::int64_t>(0, out.wall_ns);
  out.communication_ns = std::min(out.communication_ns, out.wall_ns);
  out.own_ns = out.wall_ns - out.communication_ns;
  return out;
}

}  // namespace

bool communicates(const symbols::Function& function) {
  switch (function.language) {
    case Language::Python:
      return (function.file.ends_with("torch/distributed/distributed_c10d.py") && !sets_up(function)) ||
             function.file.ends_with("horovod/torch/mpi_ops.py");
    case Language::Native:
      return function.name.starts_with("c10d::") || function.name.starts_with("MPI_");
    case Language::Operator:
      return function.name.starts_with("c10d::");
    default:
      return false;
  }
}

std::vector<bool> communication_stacks(const Evidence& evidence, std::size_t process) {
  std::vector<bool> in = evidence.stacks(process, communicates);
  const std::vector<bool>& set_up = evidence.stacks(process, sets_up);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = in[i] && !set_up[i];
  return in;
}

// Whether there are ranks at all, or anything that ranks do.
static bool may_have_ranks(const Evidence& evidence) {
  const auto& processes = evidence.run().processes;
  if (std::any_of(processes.begin(), processes.end(), [](const model::Process& one) { return one.rank.has_value(); }))
    return true;
  const symbols::Symbols& symbols = evidence.symbols();
  for (std::uint32_t id = 0; id < symbols.function_count(); ++id) {
    if (communicates(symbols.function(id))) return true;
  }
  return false;
}

std::vector<RankTime> rank_times(const Evidence& evidence) {
  std::map<std::int32_t, RankTime> by_rank;
  const auto& processes = evidence.run().processes;
  if (!may_have_ranks(evidence)) return {};
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (!evidence.selection().includes(processes[i]) || loads_data(evidence, i)) continue;
    const std::optional<RankTime> time = time_of(evidence, i);
    if (!time || (time->rank < 0 && time->communication_ns == 0)) continue;
    const auto [at, is_new] = by_rank.try_emplace(time->rank, *time);
    if (!is_new && time->wall_ns > at->second.wall_ns) at->second = *time;
  }
  std::vector<RankTime> out;
  for (const auto& [rank, time] : by_rank) out.push_back(time);
  return out;
}

}  // namespace prof::findings
