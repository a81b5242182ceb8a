#include <algorithm>
#include <map>

#include "report/model/link.hpp"

namespace prof::model {
namespace {

// The process's CPU time that earlier images used up. A first image has all of it: what passed before its agent started
// was the loading of the program.
std::uint64_t used_before(const Process& process, const std::vector<std::uint64_t>& clock) {
  if (!process.previous_image) return 0;
  return std::min(clock[*process.previous_image], process.start_cpu_ns);
}

void add_unsampled(Process& process) {
  std::map<std::uint32_t, std::int64_t> sampled_by_slot;
  std::int64_t sampled = 0;
  for (const auto& row : process.tree.cpu) {
    sampled = saturated_sum(sampled, row.metric.ns);
    std::int64_t& of_slot = sampled_by_slot[row.slot];
    of_slot = saturated_sum(of_slot, row.metric.ns);
  }
  process.cpu_ns = std::max(process.cpu_ns, static_cast<std::uint64_t>(sampled));
  std::int64_t left = saturated_difference(to_signed(process.cpu_ns), sampled);

  const auto node = static_cast<std::uint32_t>(process.tree.nodes.size());
  std::vector<Row<CpuMetric>> rows;
  for (Thread& thread : process.threads) {
    const std::int64_t of_thread = sampled_by_slot[thread.slot];
    thread.cpu_ns = std::max(thread.cpu_ns, static_cast<std::uint64_t>(of_thread));
    const std::int64_t share = std::min(left, saturated_difference(to_signed(thread.cpu_ns), of_thread));
    if (share > 0) rows.push_back({node, thread.slot, {0, share}});
    left -= share;
  }
  if (left > 0) rows.push_back({node, kNoSlot, {0, left}});
  if (rows.empty()) return;
  const auto frame = static_cast<std::uint32_t>(process.tree.frames.size());
  process.tree.frames.push_back({Frame::Kind::Unsampled, kNoModule, 0});
  process.tree.nodes.push_back({0, frame});
  process.tree.cpu.insert(process.tree.cpu.end(), rows.begin(), rows.end());
}

}  // namespace

void share_cpu_time(std::vector<Process>& processes) {
  std::vector<std::uint64_t> clock;  // of the whole process, as the logs have it
  for (const Process& process : processes) clock.push_back(process.cpu_ns);
  for (Process& process : processes) {
    const std::uint64_t before = used_before(process, clock);
    process.cpu_ns -= std::min(process.cpu_ns, before);
    add_unsampled(process);
  }
}

}  // namespace prof::model
