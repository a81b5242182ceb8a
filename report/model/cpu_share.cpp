#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "report/model/link.hpp"
#include "report/model/text.hpp"

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

// How much more samples say than was used. A thread's first one stands for others that ended unseen.
using Excess = std::map<std::uint32_t, std::int64_t>;  // by slot

Excess excess_of(const Process& process, const std::map<std::uint32_t, std::int64_t>& sampled) {
  Excess out;
  for (const Thread& thread : process.threads) {
    const auto found = sampled.find(thread.slot);
    if (found == sampled.end() || thread.cpu_ns == 0) continue;  // 0: its clock was not noted
    const std::int64_t more = saturated_difference(found->second, to_signed(thread.cpu_ns));
    if (more > 0) out[thread.slot] = more;
  }
  return out;
}

// Takes `too_much` from what was sampled in those slots, of all their rows alike: an estimate that chance made larger
// than what there was.
void take_back(Process& process, const std::map<std::uint32_t, std::int64_t>& sampled, const Excess& excess,
               std::int64_t too_much) {
  std::int64_t all = 0, taken = 0;
  for (const auto& [slot, more] : excess) all = saturated_sum(all, more);
  const double part = static_cast<double>(too_much) / static_cast<double>(all);
  std::map<std::uint32_t, double> kept;
  for (const auto& [slot, more] : excess)
    kept[slot] = 1 - part * static_cast<double>(more) / static_cast<double>(sampled.at(slot));
  std::int64_t* last = nullptr;
  for (Row<CpuMetric>& row : process.tree.cpu) {
    const auto found = kept.find(row.slot);
    if (found == kept.end()) continue;
    const auto now = whole_number(static_cast<double>(row.metric.ns) * found->second);
    taken = saturated_sum(taken, saturated_difference(row.metric.ns, now));
    row.metric.ns = now;
    last = &row.metric.ns;
  }
  // Of rounding, some nanoseconds.
  if (last != nullptr)
    *last = std::max<std::int64_t>(0, saturated_difference(*last, saturated_difference(too_much, taken)));
}

void add_rest(Process& process) {
  std::map<std::uint32_t, std::int64_t> sampled_by_slot;
  std::int64_t sampled = 0;
  for (const auto& row : process.tree.cpu) {
    sampled = saturated_sum(sampled, row.metric.ns);
    std::int64_t& of_slot = sampled_by_slot[row.slot];
    of_slot = saturated_sum(of_slot, row.metric.ns);
  }
  const Excess excess = excess_of(process, sampled_by_slot);
  std::int64_t at_least = sampled;
  for (const auto& [slot, more] : excess) at_least = std::max<std::int64_t>(0, at_least - more);
  process.cpu_ns = std::max(process.cpu_ns, static_cast<std::uint64_t>(at_least));
  if (const std::int64_t too_much = saturated_difference(sampled, to_signed(process.cpu_ns)); too_much > 0) {
    take_back(process, sampled_by_slot, excess, too_much);
    sampled = to_signed(process.cpu_ns);
  }
  std::int64_t left = saturated_difference(to_signed(process.cpu_ns), sampled);

  std::vector<Row<CpuMetric>> unsampled, own;
  const auto book = [&](std::vector<Row<CpuMetric>>& rows, std::uint32_t slot, std::int64_t ns) {
    ns = std::min(left, ns);
    if (ns > 0) rows.push_back({0, slot, {0, ns}});
    left -= std::max<std::int64_t>(0, ns);
  };
  for (const Thread& thread : process.threads) {
    const std::int64_t of_thread = sampled_by_slot[thread.slot];
    book(thread.agent ? own : unsampled, thread.slot, saturated_difference(to_signed(thread.cpu_ns), of_thread));
  }
  book(own, kNoSlot, to_signed(process.helper_cpu_ns));
  book(unsampled, kNoSlot, left);
  add_below_root(process.tree, Frame::Kind::Profiler, std::move(own));
  add_below_root(process.tree, Frame::Kind::Unsampled, std::move(unsampled));
}

// What samples found of it in a thread, where they are enough to tell.
std::map<std::uint32_t, std::uint64_t> sampled_own_time(const Process& process) {
  constexpr std::int64_t kEnough = 20;
  std::map<std::uint32_t, CpuMetric> sums;  // by slot
  for (const auto& row : process.tree.cpu) {
    if (process.tree.frames[process.tree.nodes[row.node].frame].kind == Frame::Kind::Profiler)
      sums[row.slot] += row.metric;
  }
  std::map<std::uint32_t, std::uint64_t> out;
  for (const auto& [slot, sum] : sums) {
    if (sum.samples >= kEnough) out[slot] = static_cast<std::uint64_t>(std::max<std::int64_t>(0, sum.ns));
  }
  return out;
}

// Part of it is estimated from some of the calls, of which the long ones count for themselves alone: it was not less
// than samples found, and not more than there was.
void bound_own_time(Process& process) {
  std::map<std::uint32_t, std::uint64_t> sampled = sampled_own_time(process);
  std::uint64_t own = 0;
  for (Thread& thread : process.threads) {
    thread.counters.agent_ns = std::max(thread.counters.agent_ns, sampled[thread.slot]);
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
