// A thread for each small piece of work: to start and to end it takes longer than the work.
#include <fmt/format.h>

#include <array>
#include <string_view>

#include "report/findings/below_own.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/native_family.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace thread_starts {
namespace {

constexpr std::array<std::string_view, 2> kStarts = {"pthread_create", "__pthread_create"};
constexpr std::array<std::string_view, 2> kJoins = {"pthread_join", "pthread_clockjoin"};

// What the thread waited for others to end: exactly, and whoever says that it was idle.
std::int64_t joining_ns(const model::Process& process, std::uint32_t slot) {
  std::int64_t ns = 0;
  for (const auto& row : process.tree.wait_totals) {
    const std::uint32_t name = process.tree.frames[row.frame].name;
    if (row.slot != slot || name >= process.names.size()) continue;
    if (is_one_of(process.names[name].name, kJoins)) ns = model::saturated_sum(ns, row.metric.self_ns());
  }
  return ns;
}

const char* cannot(const Evidence& evidence) {
  return evidence.lines().waits_known() ? no_own_code(evidence) : "what threads waited for was not recorded";
}

// CPU time of the process's other threads, of one of them on average.
double work_of_one(const model::Process& process, std::uint32_t main_slot, double threads) {
  std::int64_t ns = 0;
  for (const model::Thread& thread : process.threads) {
    if (thread.slot != main_slot && !thread.agent) ns = model::saturated_sum(ns, model::to_signed(thread.cpu_ns));
  }
  return real(ns) / threads;
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return {};
  const model::Process& process = evidence.run().processes[program->process];
  const auto threads = static_cast<std::int64_t>(process.thread_count());
  if (threads < kManyThreads || work_of_one(process, program->slot, real(threads)) > kLittleWorkNs) return {};
  const std::vector<bool> starts = below_own(evidence, is_called<kStarts>),
                          joins = below_own(evidence, is_called<kJoins>);
  TimeByPlace lines(evidence);
  std::int64_t starting = 0;
  for (const LineTime& time : line_times(evidence, *program)) {
    if (!starts[time.node] && !joins[time.node]) continue;
    lines.add(time.node, model::saturated_sum(time.cpu_ns, time.blocked_ns));
    if (starts[time.node]) starting = model::saturated_sum(starting, time.cpu_ns);
  }
  const std::int64_t ns =
      model::saturated_sum(with_run_queue(evidence, *program, starting), joining_ns(process, program->slot));
  const double share = share_of_life(evidence, *program, ns);
  if (share < kThreadStarts) return {};
  Finding finding;
  finding.rule = kThreadStartsRule.name;
  finding.title = "A thread is started for each small piece of work";
  finding.seen = fmt::format(
      "{} were started, which worked for {} each; to start and to join them took {} ({} % of the run's time).",
      show::counted(threads, "thread", "threads"), show::duration(work_of_one(process, program->slot, real(threads))),
      show::duration(real(ns)), show::percent(share, 1));
  finding.advice =
      "Give each of a few threads many pieces (a pool, a loop over a part of the data, OpenMP, std::execution::par); "
      "do "
      "what takes microseconds where it is needed.";
  finding.places = lines.top();
  could_save_of_run(finding, evidence, share);
  return {finding};
}

}  // namespace
}  // namespace thread_starts

const Rule kThreadStartsRule{"thread-starts", "threads for small pieces of work", thread_starts::cannot,
                             thread_starts::look};

}  // namespace prof::findings
