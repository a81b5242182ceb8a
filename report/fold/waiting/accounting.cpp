#include "report/fold/waiting/accounting.hpp"

#include <algorithm>
#include <unordered_map>

#include "report/model/text.hpp"
#include "report/model/wait_class.hpp"

namespace prof::fold {
namespace {

using model::saturated_difference;
using model::saturated_sum;

std::int64_t positive(std::int64_t ns) { return std::max<std::int64_t>(0, ns); }

// part / whole of `of`, at most `most`.
std::int64_t share_of(std::int64_t of, std::int64_t part, std::int64_t whole, std::int64_t most) {
  if (whole <= 0 || part <= 0) return 0;
  const double share = std::min(1.0, static_cast<double>(part) / static_cast<double>(whole));
  return std::min(positive(most), whole_number(share * static_cast<double>(of)));
}

// What one thread slot recorded of its calls.
struct Calls {
  std::array<std::int64_t, log::kWaitClasses> ns{}, sampled_ns{};  // wall time, and of it with CPU samples
  std::int64_t all_sampled_ns = 0;
};

std::unordered_map<std::uint32_t, Calls> calls_by_slot(const model::Process& process) {
  std::unordered_map<std::uint32_t, Calls> out;
  const auto add = [](std::int64_t& to, std::int64_t ns) { to = saturated_sum(to, positive(ns)); };
  const model::Tree& tree = process.tree;
  for (const auto& row : tree.wait_totals) {
    const auto what =
        static_cast<std::size_t>(model::wait_class_of(process, row.frame).value_or(log::WaitClass::Other));
    Calls& calls = out[row.slot];
    add(calls.ns[what], row.metric.self_ns());
    add(calls.sampled_ns[what], row.metric.cpu_ns);
  }
  constexpr auto kGpu = static_cast<std::size_t>(log::WaitClass::Gpu);
  for (const auto& row : tree.waits) {
    if (model::wait_class_of(process, tree.nodes[row.node].frame)) continue;  // in the totals
    add(out[row.slot].ns[kGpu], row.metric.ns);
    add(out[row.slot].sampled_ns[kGpu], row.metric.cpu_ns);
  }
  for (const auto& row : tree.cpu) {
    const bool sampled = tree.frames[tree.nodes[row.node].frame].kind != model::Frame::Kind::Unsampled;
    if (sampled) add(out[row.slot].all_sampled_ns, row.metric.ns);
  }
  return out;
}

// The process's CPU time of before its agent started is in the clock of its main thread, but not in its wall time.
std::int64_t cpu_since_start(const model::Process& process, const model::Thread& thread) {
  const bool earlier = thread.main && process.origin == log::Origin::Started;
  return positive(
      saturated_difference(model::to_signed(thread.cpu_ns), earlier ? model::to_signed(process.start_cpu_ns) : 0));
}

void fit(WallSplit& split, std::int64_t room) {
  const std::int64_t blocked = split.blocked();
  if (blocked <= room) return;
  split.scaled = blocked - room > split.wall_ns / 100;
  for (std::int64_t& ns : split.blocked_ns) ns = share_of(room, ns, blocked, room);
}

WallSplit split_of(const model::Process& process, const model::Thread& thread, const Calls& calls) {
  WallSplit split;
  split.wall_ns =
      model::to_signed(thread.end_monotonic_ns - std::min(thread.start_monotonic_ns, thread.end_monotonic_ns));
  // The clock of a thread that was killed was read before its last samples. But a single one may stand for other
  // threads as well, that were too short for any.
  const std::int64_t clock = cpu_since_start(process, thread);
  const std::int64_t shared = clock > 0 ? model::to_signed(process.sample_period_ns) : 0;
  const std::int64_t sampled = positive(saturated_difference(calls.all_sampled_ns, shared));
  split.cpu_ns = std::min(std::max(clock, sampled), split.wall_ns);
  std::int64_t rest = split.wall_ns - split.cpu_ns;
  split.blocked_known = process.waits_recorded;
  for (std::size_t what = 0; what < split.blocked_ns.size(); ++what) {
    const std::int64_t cpu = share_of(split.cpu_ns, calls.sampled_ns[what], calls.all_sampled_ns, calls.ns[what]);
    split.blocked_ns[what] = calls.ns[what] - cpu;
  }
  fit(split, rest);
  rest -= split.blocked();
  split.run_queue_known = thread.use.run_queue_ns.has_value();
  split.run_queue_ns = std::min(positive(thread.use.run_queue_ns.value_or(0)), rest);
  split.residual_ns = rest - split.run_queue_ns;
  return split;
}

}  // namespace

std::int64_t WallSplit::blocked() const {
  std::int64_t sum = 0;
  for (const std::int64_t ns : blocked_ns) sum = saturated_sum(sum, ns);
  return sum;
}

WallSplit& WallSplit::operator+=(const WallSplit& other) {
  wall_ns = saturated_sum(wall_ns, other.wall_ns);
  cpu_ns = saturated_sum(cpu_ns, other.cpu_ns);
  for (std::size_t i = 0; i < blocked_ns.size(); ++i) blocked_ns[i] = saturated_sum(blocked_ns[i], other.blocked_ns[i]);
  run_queue_ns = saturated_sum(run_queue_ns, other.run_queue_ns);
  residual_ns = saturated_sum(residual_ns, other.residual_ns);
  blocked_known &= other.blocked_known;
  run_queue_known &= other.run_queue_known;
  scaled |= other.scaled;
  return *this;
}

std::vector<ThreadWall> thread_walls(const model::Run& run, const Selection& selection) {
  std::vector<ThreadWall> out;
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    const model::Process& process = run.processes[i];
    if (!selection.includes(process)) continue;
    const auto calls = calls_by_slot(process);
    for (const model::Thread& thread : process.threads) {
      if (thread.agent || !selection.includes(thread)) continue;
      const auto found = calls.find(thread.slot);
      out.push_back({i, &thread, split_of(process, thread, found == calls.end() ? Calls{} : found->second)});
    }
  }
  return out;
}

}  // namespace prof::fold
