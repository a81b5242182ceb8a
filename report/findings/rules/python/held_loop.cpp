// What computes in an event loop holds up all that waits for it. Nothing is saved by moving it: it is others that need
// not wait.
#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "report/findings/event_loop.hpp"
#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/process_tree.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/waiting/holds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace held_loop {
namespace {

const char* cannot(const Evidence& evidence) {
  return evidence.lines().waits_known() ? nullptr : "what threads waited for was not recorded";
}

struct Times {
  double cpu_ns = 0, blocked_ns = 0, idle_ns = 0;
};

// What was computed and waited for at the own lines; where it is waiting, another rule tells of it.
std::map<std::uint32_t, Times> times_of(const Evidence& evidence, const std::vector<fold::Hold>& holds) {
  std::map<std::uint32_t, Times> out;
  for (const fold::Hold& hold : holds) out[hold.location] = {};
  const fold::Columns& self = evidence.lines().self();
  for (const std::uint32_t node : evidence.timed()) {
    const auto found = out.find(evidence.own_location(node));
    if (found == out.end()) continue;
    found->second.cpu_ns += static_cast<double>(self.cpu[node].ns);
    Times& times = found->second;
    (evidence.idle()[node] ? times.idle_ns : times.blocked_ns) += static_cast<double>(self.wait[node].blocked_ns());
  }
  return out;
}

// Whether others were held up at the line, and not by waiting, nor by other programs that had the processor. A line
// that waits for work more than it computes runs the loop itself: what is long there is the library's.
bool computes_long(const fold::Hold& hold, const Times& at) {
  return hold.own && at.cpu_ns > at.idle_ns && at.cpu_ns > at.blocked_ns &&
         real(hold.turns.busy_ns) >= kHeldBusy * real(hold.turns.ns) && hold.turns.max_ns >= kHeldLongNs &&
         hold.turns.count >= kHeldOften && hold.turns.events * 2 >= hold.turns.count;
}

// Own lines of tasks that compute little for each message that they send: where many of these are ready at once, a turn
// is long by their number, and parts would be no shorter.
std::set<std::uint32_t> lines_of_short_pieces(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return {};
  struct Task {
    std::int64_t cpu_ns = 0, sends = 0;
    std::set<std::uint32_t> lines;
  };
  std::map<std::string, Task> tasks;
  for (const LineTime& time : line_times(evidence, *program)) {
    Task& task = tasks[name_of_task(evidence.lines(), time.node)];
    task.cpu_ns = model::saturated_sum(task.cpu_ns, time.cpu_ns);
    if (time.waits == log::WaitClass::Network) task.sends = model::saturated_sum(task.sends, time.calls);
    if (time.cpu_ns > 0) task.lines.insert(evidence.own_location(time.node));
  }
  std::set<std::uint32_t> out, others;
  for (const auto& [name, task] : tasks) {
    const bool is_short = !name.empty() && task.cpu_ns < task.sends * kShortPieceNs;
    (is_short ? out : others).insert(task.lines.begin(), task.lines.end());
  }
  for (const std::uint32_t line : others) out.erase(line);
  return out;
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::vector<fold::Hold> holds = fold::holds(evidence.lines());
  if (holds.empty()) return {};
  std::map<std::uint32_t, Times> times = times_of(evidence, holds);
  model::HoldMetric all;
  std::set<std::uint32_t> locations;
  bool python = false;
  const std::set<std::uint32_t> in_pieces = lines_of_short_pieces(evidence);
  for (const fold::Hold& hold : holds) {
    if (!computes_long(hold, times[hold.location])) continue;
    // As many events as tasks were ready, each of which computed little.
    if (in_pieces.contains(hold.location) && hold.turns.ns < hold.turns.events * kShortPieceNs) continue;
    all += hold.turns;
    locations.insert(hold.location);
    const symbols::Location& location = evidence.symbols().location(hold.location);
    python |= evidence.symbols().function(location.function).language == symbols::Language::Python;
  }
  const double share = share_of_run(evidence, all.ns);
  if (locations.empty() || share < kHeldShare) return {};
  TimeByPlace lines(evidence);
  const fold::Columns& self = evidence.lines().self();
  for (std::uint32_t node = 1; node < evidence.lines().nodes().size(); ++node) {
    const std::int64_t ns = self.holds[node].ns;
    if (ns > 0 && locations.contains(evidence.own_location(node))) lines.add(node, ns);
  }
  Finding finding;
  finding.rule = kHeldLoopRule.name;
  finding.title = "Long computations hold up the event loop";
  finding.seen = fmt::format(
      "{} of {} or more, the longest {}, {} in all ({} % of the run's time). {} that had arrived waited for their end.",
      show::counted(all.count, "turn", "turns"), show::duration(static_cast<double>(log::kHoldLeast)),
      show::duration(static_cast<double>(all.max_ns)), show::duration(static_cast<double>(all.ns)),
      show::percent(share, 1), show::counted(all.events, "event", "events"));
  finding.advice =
      python ? "Compute in another process (a ProcessPoolExecutor; with asyncio by loop.run_in_executor), in a thread "
               "where it is a library that gives the interpreter's lock up (asyncio.to_thread), or in parts between "
               "which the loop may run (await asyncio.sleep(0), gevent.sleep(0)). --view loops shows every line."
             : "Compute in another thread, or in parts, each in a turn of its own. --view loops shows every line.";
  finding.places = lines.top();
  return {finding};
}

}  // namespace
}  // namespace held_loop

const Rule kHeldLoopRule{"loop-held-up", "computations that hold an event loop up", held_loop::cannot, held_loop::look};

}  // namespace prof::findings
