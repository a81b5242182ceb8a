// Python's threads that end because a wait for more work timed out: whoever waits for their end waits for that, too.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/contract/format.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/model/wait_class.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace late_ends {
namespace {

// By which locks of Python wait where a time is given; its own lock is passed on by conditions.
bool is_timed(std::string_view call) { return call == "sem_clockwait" || call == "sem_timedwait"; }

// Waits of one thread that ended by their time.
struct TimedOut {
  std::int64_t waits = 0, ns = 0;
};

// How long as many waits took as timed out: those that somebody ended took less.
std::int64_t longest_ns(const model::Process& process, std::uint32_t slot, std::int64_t waits) {
  std::array<std::int64_t, log::kSpreadClasses> counts{};
  for (const auto& row : process.tree.spreads) {
    const std::uint32_t name = process.tree.frames[row.frame].name;
    if (row.slot != slot || name >= process.names.size() || !is_timed(process.names[name].name)) continue;
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = model::saturated_sum(counts[i], row.metric.count[i]);
  }
  double ns = 0;
  for (std::size_t i = counts.size(); i > 0 && waits > 0; --i) {
    const auto at = static_cast<std::uint32_t>(i - 1);
    const std::int64_t of_class = std::min(waits, counts[at]);
    ns += real(of_class) * (real(log::spread_floor(at)) + real(log::spread_floor(at + 1))) / 2;
    waits -= of_class;
  }
  return whole_number(ns);
}

TimedOut timed_out(const model::Process& process, std::uint32_t slot) {
  TimedOut out;
  for (const auto& row : process.tree.wait_totals) {
    const std::uint32_t name = process.tree.frames[row.frame].name;
    if (row.slot != slot || name >= process.names.size() || !is_timed(process.names[name].name) ||
        model::wait_class_of(process, row.frame) != log::WaitClass::Lock)
      continue;
    out.waits = model::saturated_sum(out.waits, row.metric.failed);
  }
  out.ns = longest_ns(process, slot, out.waits);
  return out;
}

// Whether it ended by itself, and waited so at its end: who looks again and again is at work, or has none.
bool ends_so(const model::Process& process, const model::Thread& thread, const TimedOut& its) {
  const auto ends = static_cast<std::int64_t>(thread.merged) + 1;
  return its.waits > 0 && its.waits <= ends && !thread.running && thread.end_monotonic_ns < process.end_monotonic_ns;
}

// The most of them that there were at once.
std::int64_t most_at_once(const std::vector<const model::Thread*>& threads) {
  std::int64_t most = 0;
  for (const model::Thread* one : threads) {
    const auto at_once = std::count_if(threads.begin(), threads.end(), [&](const model::Thread* other) {
      return other->start_monotonic_ns <= one->start_monotonic_ns && one->start_monotonic_ns < other->end_monotonic_ns;
    });
    most = std::max<std::int64_t>(most, at_once);
  }
  return most;
}

// How long the program's thread waited for locks and for the ends of others.
std::int64_t waited_for_others(const model::Process& process, std::uint32_t slot) {
  std::int64_t ns = 0;
  for (const StackTime& time : stack_times(process, slot)) {
    if (time.waits == log::WaitClass::Lock) ns = model::saturated_sum(ns, time.blocked_ns);
  }
  return ns;
}

void add_lines(const Evidence& evidence, const ThreadOf& thread, TimeByPlace& lines) {
  for (const StackTime& time : stack_times(evidence.run().processes[thread.process], thread.slot)) {
    const std::uint32_t node = evidence.lines().node_of(thread.process, time.node);
    if (time.waits != log::WaitClass::Lock || node == fold::CallTree::kNoNode) continue;
    if (is_timed(evidence.lines().function(node).name)) lines.add(node, time.blocked_ns);
  }
}

const char* cannot(const Evidence& evidence) {
  if (!evidence.lines().waits_known()) return "what threads waited for was not recorded";
  return no_python_frames(evidence);
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return {};
  const model::Process& process = evidence.run().processes[program->process];
  TimeByPlace lines(evidence);
  TimedOut all;
  std::vector<const model::Thread*> threads;
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    const model::Thread& thread = *row.thread;
    if (row.process != program->process || thread.slot == program->slot || thread.agent ||
        !runs_own_code(evidence, row.process, thread.slot))
      continue;
    const TimedOut its = timed_out(process, thread.slot);
    if (!ends_so(process, thread, its)) continue;
    all.waits = model::saturated_sum(all.waits, its.waits);
    all.ns = model::saturated_sum(all.ns, its.ns);
    threads.push_back(&thread);
    add_lines(evidence, {row.process, thread.slot}, lines);
  }
  if (threads.empty()) return {};
  // Those that there are at once time out at once.
  const std::int64_t lost_ns = std::min(all.ns / most_at_once(threads), waited_for_others(process, program->slot));
  const double share = share_of_life(evidence, *program, lost_ns);
  if (lost_ns < kLeastWaitNs || share < kWaitingLine) return {};
  Finding finding;
  finding.rule = kLateEndsRule.name;
  finding.title = "Threads end late: only a time-out tells them that there is no more to do";
  finding.seen = fmt::format(
      "{} ended after a wait of {} had timed out, up to {} of them at once; the program's thread waited for that.",
      show::counted(all.waits, "thread", "threads"), show::duration(real(all.ns) / real(all.waits)),
      most_at_once(threads));
  finding.advice =
      "Say that there is no more: put an end mark (None) into the queue for each thread, Queue.shutdown() (Python "
      "3.13), or set an Event that they look at. A shorter time-out only makes the wait shorter.";
  finding.places = lines.top();
  could_save_of_run(finding, evidence, share);
  return {finding};
}

}  // namespace
}  // namespace late_ends

const Rule kLateEndsRule{"late-ends", "threads that learn of their end by a time-out", late_ends::cannot,
                         late_ends::look};

}  // namespace prof::findings
