// The program's thread waits for another one, and goes on only because its patience is over: nobody wakes it.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace timed_out_waits {
namespace {

constexpr std::string_view kTimedWaits[] = {"pthread_cond_timedwait", "pthread_cond_clockwait", "sem_timedwait",
                                            "sem_clockwait"};

bool is_timed(std::string_view call) {
  return std::find(std::begin(kTimedWaits), std::end(kTimedWaits), call) != std::end(kTimedWaits);
}

// Of the thread's timed waits, exactly: how many there were, and how many ended by their time.
struct Counts {
  std::int64_t calls = 0, failed = 0;
};

Counts counts_of(const model::Process& process, std::uint32_t slot) {
  Counts out;
  for (const auto& row : process.tree.wait_totals) {
    const std::uint32_t name = process.tree.frames[row.frame].name;
    if (row.slot != slot || name >= process.names.size() || !is_timed(process.names[name].name)) continue;
    out.calls = model::saturated_sum(out.calls, row.metric.calls);
    out.failed = model::saturated_sum(out.failed, row.metric.failed);
  }
  return out;
}

const char* cannot(const Evidence& evidence) {
  return evidence.lines().waits_known() ? nullptr : "what threads waited for was not recorded";
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return {};
  const model::Process& process = evidence.run().processes[program->process];
  // The interpreter's own threads ask for its lock with a time, to have it given to them.
  if (process.python) return {};
  const Counts counts = counts_of(process, program->slot);
  if (counts.failed < kManyTimeouts || counts.failed < counts.calls / 2) return {};
  TimeByPlace lines(evidence);
  std::int64_t waited = 0;
  for (const LineTime& time : line_times(evidence, *program)) {
    if (!time.waits || !is_timed(evidence.lines().function(time.node).name)) continue;
    if (lines.add(time.node, time.blocked_ns)) waited = model::saturated_sum(waited, time.blocked_ns);
  }
  // With nobody else, the time-out is the pace.
  const std::vector<fold::ThreadWall>& walls = evidence.thread_walls();
  if (std::none_of(walls.begin(), walls.end(), [&](const fold::ThreadWall& row) {
        return row.process == program->process && row.thread->slot != program->slot && !row.thread->agent &&
               runs_own_code(evidence, row.process, row.thread->slot);
      })) {
    return {};
  }
  const std::int64_t lost = std::max<std::int64_t>(0, waited - work_beside(evidence, *program));
  const double share = share_of_life(evidence, *program, lost);
  if (share < kWaitingLine || lost < kLeastWaitNs) return {};
  // A program that does nothing else has nothing to do.
  if (static_cast<double>(evidence.run().cpu_ns) < kAtWork * static_cast<double>(evidence.run().wall_ns)) return {};
  Finding finding;
  finding.rule = kTimedOutRule.name;
  finding.title = "Waits end by their time-out: nobody wakes the thread";
  finding.seen = fmt::format("{} of {} ended so; {} in all, {} more than the other threads were at work.",
                             show::grouped(counts.failed), show::counted(counts.calls, "wait", "waits"),
                             show::duration(static_cast<double>(waited)), show::duration(static_cast<double>(lost)));
  finding.advice =
      "Look whether what is waited for notifies this very condition, after it has changed the state, and whether the "
      "state is looked at under the same lock.";
  finding.places = lines.top();
  could_save_of_run(finding, evidence, share);
  return {finding};
}

}  // namespace
}  // namespace timed_out_waits

const Rule kTimedOutRule{"timed-out-waits", "waits that end by their time-out", timed_out_waits::cannot,
                         timed_out_waits::look};

}  // namespace prof::findings
