#include "report/findings/rules/waiting/waiting_sum.hpp"

#include <algorithm>
#include <utility>

#include "report/findings/event_loop.hpp"
#include "report/findings/program_time.hpp"
#include "report/model/text.hpp"

namespace prof::findings::waiting {
namespace {

// Half of what makes a turn of a loop a long one.
constexpr auto kLongCallNs = static_cast<std::int64_t>(log::kHoldLeast / 2);

// Lines that do little else than such calls, of the disk or for files: what they compute for them goes with them.
std::set<std::uint32_t> whole_lines(const Evidence& evidence, const ThreadOf& program, const Kind& kind,
                                    const Beside& beside) {
  std::set<std::uint32_t> out;
  if (&kind != &kSync && &kind != &kFile) return out;
  std::map<std::uint32_t, std::pair<std::int64_t, std::int64_t>> by_line;  // in such calls, and in all
  for (const LineTime& time : line_times(evidence, program)) {
    auto& [in_calls, all] = by_line[evidence.own_location(time.node)];
    const std::int64_t ns = model::saturated_sum(time.cpu_ns, time.blocked_ns);
    all = model::saturated_sum(all, ns);
    if (time.waits && kind_of(evidence, time, beside) == &kind)
      in_calls = model::saturated_sum(in_calls, time.waited_ns);
  }
  for (const auto& [line, sums] : by_line) {
    if (line != 0 && sums.first > sums.second / 2) out.insert(line);
  }
  return out;
}

// Lines that send or receive, too: what they poll for comes from a peer, as behind a socket that has a time-out.
std::set<std::uint32_t> conversing_lines(const Evidence& evidence, const ThreadOf& program) {
  std::set<std::uint32_t> out;
  for (const LineTime& time : line_times(evidence, program)) {
    if (time.waits == log::WaitClass::Network) out.insert(evidence.own_location(time.node));
  }
  out.erase(0);
  return out;
}

// What a shell waits for its commands is theirs: rules about processes tell of it.
bool waits_for_commands(const Evidence& evidence, const LineTime& time, const Kind& kind) {
  if (&kind != &kChild && &kind != &kPipe) return false;
  const std::uint32_t line = evidence.own_location(time.node);
  return line != 0 &&
         evidence.symbols().function(evidence.symbols().location(line).function).language == symbols::Language::Shell;
}

}  // namespace

std::map<std::string, std::int64_t>::const_iterator Sum::most() const {
  return std::max_element(tasks.begin(), tasks.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
}

Sum sum_of(const Evidence& evidence, const Kind& kind, const ThreadOf& thread, symbols::SourceFiles& files) {
  Sum sum(evidence);
  const double queue = queue_factor(evidence, thread);
  const Beside beside{!others_wait(evidence, thread), has_hub(evidence.run().processes[thread.process])};
  const std::set<std::uint32_t> whole = whole_lines(evidence, thread, kind, beside),
                                conversing = conversing_lines(evidence, thread);
  for (const LineTime& time : line_times(evidence, thread)) {
    const std::uint32_t line = evidence.own_location(time.node);
    if (waits_for_commands(evidence, time, kind)) continue;
    // What a library waits for by itself is work: its own loop has it.
    if (&kind == &kNetwork && line == 0 && evidence.own().any()) continue;
    const bool of_line = line != 0 && whole.contains(line);
    if (!of_line && (time.waited_ns <= 0 || !time.waits || kind_of(evidence, time, beside) != &kind)) continue;
    // What computes in a call waits for a processor as well. Samples in calls are CPU time of their line, too.
    const std::int64_t cpu_ns = of_line ? time.cpu_ns : model::saturated_difference(time.waited_ns, time.blocked_ns);
    const std::int64_t ns = whole_number(real(time.blocked_ns) + queue * real(std::max<std::int64_t>(0, cpu_ns)));
    if (!sum.lines.add(time.node, ns)) continue;
    sum.ns = model::saturated_sum(sum.ns, ns);
    if (&kind == &kAwaits || time.waits == log::WaitClass::Network || time.waits == log::WaitClass::Poll)
      sum.peers_ns = model::saturated_sum(sum.peers_ns, ns);
    if (blocks_loop(kind)) {
      std::int64_t& of_task = sum.tasks[name_of_task(evidence.lines(), time.node)];
      of_task = model::saturated_sum(of_task, ns);
      sum.locations.insert(line);
      if (time.waited_ns >= time.calls * kLongCallNs) sum.long_calls = model::saturated_sum(sum.long_calls, time.calls);
    }
    if (blocks_loop(kind) || (is_of_loop(kind) && gathers(evidence, files, time.node)))
      sum.gathered_ns = model::saturated_sum(sum.gathered_ns, ns);
    if (!time.waits || kind_of(evidence, time, beside) != &kind) continue;
    sum.calls = model::saturated_sum(sum.calls, time.calls);
    if (time.waits == log::WaitClass::Poll && !conversing.contains(line))
      sum.polled_ns = model::saturated_sum(sum.polled_ns, ns);
  }
  return sum;
}

}  // namespace prof::findings::waiting
