#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "report/model/link.hpp"

namespace prof::model {
namespace {

// The process's CPU time that earlier images used up. A first image has all of it: what passed before its agent started
// was the loading of the program.
std::uint64_t used_before(const Process& process, const std::vector<std::uint64_t>& clock) {
  if (!process.previous_image) return 0;
  return std::min(clock[*process.previous_image], process.start_cpu_ns);
}

// A frame that stands for no code, below the root, with CPU time by slot.
void add_below_root(Tree& tree, Frame::Kind kind, std::vector<Row<CpuMetric>> rows) {
  if (rows.empty()) return;
  const auto frame = static_cast<std::uint32_t>(tree.frames.size());
  const auto node = static_cast<std::uint32_t>(tree.nodes.size());
  tree.frames.push_back({kind, kNoModule, 0});
  tree.nodes.push_back({0, frame});
  for (Row<CpuMetric>& row : rows) row.node = node;
  tree.cpu.insert(tree.cpu.end(), rows.begin(), rows.end());
}

void add_rest(Process& process) {
  std::map<std::uint32_t, std::int64_t> sampled_by_slot;
  std::int64_t sampled = 0;
  for (const auto& row : process.tree.cpu) {
    sampled = saturated_sum(sampled, row.metric.ns);
    std::int64_t& of_slot = sampled_by_slot[row.slot];
    of_slot = saturated_sum(of_slot, row.metric.ns);
  }
  process.cpu_ns = std::max(process.cpu_ns, static_cast<std::uint64_t>(sampled));
  std::int64_t left = saturated_difference(to_signed(process.cpu_ns), sampled);

  std::vector<Row<CpuMetric>> unsampled, own;
  const auto book = [&](std::vector<Row<CpuMetric>>& rows, std::uint32_t slot, std::int64_t ns) {
    ns = std::min(left, ns);
    if (ns > 0) rows.push_back({0, slot, {0, ns}});
    left -= std::max<std::int64_t>(0, ns);
  };
  for (Thread& thread : process.threads) {
    const std::int64_t of_thread = sampled_by_slot[thread.slot];
    thread.cpu_ns = std::max(thread.cpu_ns, static_cast<std::uint64_t>(of_thread));
    book(thread.agent ? own : unsampled, thread.slot, saturated_difference(to_signed(thread.cpu_ns), of_thread));
  }
  book(own, kNoSlot, to_signed(process.helper_cpu_ns));
  book(unsampled, kNoSlot, left);
  add_below_root(process.tree, Frame::Kind::Profiler, std::move(own));
  add_below_root(process.tree, Frame::Kind::Unsampled, std::move(unsampled));
}

// Part of it is estimated from some of the calls: it cannot have been more than there was.
void bound_own_time(Process& process) {
  std::uint64_t own = 0;
  for (Thread& thread : process.threads) {
    thread.counters.agent_ns = std::min(thread.counters.agent_ns, thread.cpu_ns);
    own = saturated_sum(own, thread.counters.agent_ns);
  }
  process.totals.agent_ns = std::min(saturated_sum(own, process.helper_cpu_ns), process.cpu_ns);
}

}  // namespace

void share_cpu_time(std::vector<Process>& processes) {
  std::vector<std::uint64_t> clock;  // of the whole process, as the logs have it
  for (const Process& process : processes) clock.push_back(process.cpu_ns);
  for (Process& process : processes) {
    const std::uint64_t before = used_before(process, clock);
    process.cpu_ns -= std::min(process.cpu_ns, before);
    add_rest(process);
    bound_own_time(process);
  }
}

}  // namespace prof::model
