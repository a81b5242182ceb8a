// Python's threads that end because a wait for more work timed out: whoever waits for their end waits for that, too.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/contract/format.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/model/text.hpp"
#include "report/model/wait_class.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

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

// Whether it ended by itself, and waited in vain once: who looks again and again is at work, or has none.
bool ends_so(const model::Process& process, const model::Thread& thread, const TimedOut& its) {
  const auto ends = static_cast<std::int64_t>(thread.merged) + 1;
  return its.waits > 0 && its.waits <= ends && !thread.running && thread.end_monotonic_ns < process.end_monotonic_ns;
}

// Of a line of Python, whether whoever waits there in vain ends: by the lines below it, that of the exception or of
// what is done without what was waited for.
bool ends_in_vain(const Lines& lines, std::int64_t number) {
  constexpr std::size_t kBelow = 5;
  if (number < 1 || static_cast<std::size_t>(number) > lines.size()) return false;
  const auto first = static_cast<std::size_t>(number);
  const std::string_view wait = code_of(lines[first - 1], "#");
  const bool takes = contains(wait, ".get("), awaits = contains(wait, "if not ") && contains(wait, ".wait(");
  bool in_vain = awaits;
  for (std::size_t i = first; i < std::min(lines.size(), first + kBelow); ++i) {
    const std::string_view line = code_of(lines[i], "#"), code = line.substr(indent_of(line));
    if (code.starts_with("def ")) return false;
    in_vain |= takes && code.starts_with("except ");
    const std::string_view then = code.starts_with("except ") ? code.substr(code.rfind(':') + 1) : code;
    const std::size_t word = indent_of(then);
    if (in_vain && (then.substr(word).starts_with("break") || then.substr(word).starts_with("return"))) return true;
    if (awaits && !code.empty()) return false;
  }
  return false;
}

// Threads that there are at once, one of them with the next: how long the one that waited longest in vain did so.
struct Group {
  std::uint64_t end_ns = 0;
  std::int64_t threads = 0, longest_ns = 0;
};

constexpr std::int64_t kNotedLate = 10;  // part of what it waited in vain

struct OfThread {
  const model::Thread* thread = nullptr;
  TimedOut its;
};

std::vector<Group> groups_of(std::vector<OfThread> threads) {
  std::sort(threads.begin(), threads.end(), [](const OfThread& a, const OfThread& b) {
    return a.thread->start_monotonic_ns < b.thread->start_monotonic_ns;
  });
  std::vector<Group> out;
  for (const OfThread& one : threads) {
    // A thread's end is noted some time after whoever waited for it has gone on.
    const auto noted_late = static_cast<std::uint64_t>(std::max<std::int64_t>(0, one.its.ns / kNotedLate));
    if (out.empty() || one.thread->start_monotonic_ns + noted_late >= out.back().end_ns) out.emplace_back();
    Group& group = out.back();
    group.end_ns = std::max(group.end_ns, one.thread->end_monotonic_ns);
    group.threads += 1;
    group.longest_ns = std::max(group.longest_ns, one.its.ns);
  }
  return out;
}

// How long the program's thread waited for the ends of others.
std::int64_t waited_for_ends(const Evidence& evidence, const ThreadOf& program) {
  const std::vector<bool> joins = stacks_with(evidence, program.process, [](const symbols::Function& function) {
    static constexpr fold::FunctionAt kJoins[] = {{"/threading.py", "join"},
                                                  {"/threading.py", "_wait_for_tstate_lock"}};
    return fold::is_any(function, kJoins);
  });
  std::int64_t ns = 0;
  for (const StackTime& time : stack_times(evidence.run().processes[program.process], program.slot)) {
    if (time.waits == log::WaitClass::Lock && joins[time.node]) ns = model::saturated_sum(ns, time.blocked_ns);
  }
  return ns;
}

// The lines at which the thread waits so; false: at one of them it may go on.
bool add_lines(const Evidence& evidence, const ThreadOf& thread, symbols::SourceFiles& files, TimeByPlace& lines) {
  bool any = false;
  for (const StackTime& time : stack_times(evidence.run().processes[thread.process], thread.slot)) {
    const std::uint32_t node = evidence.lines().node_of(thread.process, time.node);
    if (time.waits != log::WaitClass::Lock || node == fold::CallTree::kNoNode) continue;
    if (!is_timed(evidence.lines().function(node).name)) continue;
    const std::optional<Place> place = evidence.own_place(node);
    if (!place || !ends_in_vain(files.file(place->file).lines, place->line)) continue;
    any |= lines.add(node, time.blocked_ns);
  }
  return any;
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return {};
  const model::Process& process = evidence.run().processes[program->process];
  TimeByPlace lines(evidence);
  symbols::SourceFiles& files = evidence.sources();
  TimedOut all;
  std::vector<OfThread> threads;
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    const model::Thread& thread = *row.thread;
    if (row.process != program->process || thread.slot == program->slot || thread.agent) continue;
    const TimedOut its = timed_out(process, thread.slot);
    if (!ends_so(process, thread, its) || !add_lines(evidence, {row.process, thread.slot}, files, lines)) continue;
    all.waits = model::saturated_sum(all.waits, its.waits);
    all.ns = model::saturated_sum(all.ns, its.ns);
    threads.push_back({&thread, its});
  }
  if (threads.empty()) return {};
  std::int64_t lost_ns = 0, at_once = 0;
  for (const Group& group : groups_of(threads)) {
    lost_ns = model::saturated_sum(lost_ns, group.longest_ns);
    at_once = std::max(at_once, group.threads);
  }
  lost_ns = std::min(lost_ns, waited_for_ends(evidence, *program));
  const double share = share_of_life(evidence, *program, lost_ns);
  if (lost_ns < kLeastWaitNs || share < kWaitingLine) return {};
  Finding finding;
  finding.rule = kLateEndsRule.name;
  finding.title = "Threads end late: only a time-out tells them that there is no more to do";
  finding.seen = fmt::format(
      "{} ended after a wait of {} had timed out, up to {} of them at once; the program's thread waited for that.",
      show::counted(all.waits, "thread", "threads"), show::duration(real(all.ns) / real(all.waits)), at_once);
  finding.advice =
      "Say that there is no more: put an end mark (None) into the queue for each thread, Queue.shutdown() (Python "
      "3.13), or set an Event that they look at. A shorter time-out only makes the wait shorter.";
  finding.places = lines.top();
  could_save_of_run(finding, evidence, share);
  return {finding};
}

}  // namespace
}  // namespace late_ends

const Rule kLateEndsRule{"late-ends", "threads that learn of their end by a time-out", no_python_waits,
                         late_ends::look};

}  // namespace prof::findings
