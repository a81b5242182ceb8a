// What std::async returned is not kept: its end waits for the work at once, and nothing runs beside it.
#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace thrown_away_futures {
namespace {

// The end of the state that a future shares with its thread, as libstdc++ has it (include/std/future).
bool ends_state(const symbols::Function& function) {
  return function.language == symbols::Language::Native && function.name.find("_Async_state") != std::string::npos &&
         (function.name.find("::~") != std::string::npos || function.name.find("_M_dispose") != std::string::npos);
}

// What the threads of std::async took in all, computing and waiting: beside each other they have more of it than there
// was time.
std::int64_t time_of_threads(const Evidence& evidence, const ThreadOf& main) {
  const auto runs = [](const symbols::Function& function) {
    return function.language == symbols::Language::Native && function.name.find("_Async_state") != std::string::npos;
  };
  const std::vector<bool> stacks = stacks_with(evidence, main.process, runs);
  std::int64_t out = 0;
  for (const model::Thread& thread : evidence.run().processes[main.process].threads) {
    if (thread.agent || thread.slot == main.slot) continue;
    for (const StackTime& time : stack_times(evidence.run().processes[main.process], thread.slot)) {
      if (stacks[time.node]) out = model::saturated_sum(out, time.ns());
    }
  }
  return out;
}

const char* cannot(const Evidence& evidence) {
  if (!evidence.own().any()) return "no code of your own was seen";
  return evidence.lines().waits_known() ? nullptr : "what threads waited for was not recorded";
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return {};
  const model::Thread* main = program_thread(evidence, program->process);
  if (main == nullptr) return {};
  TimeByPlace lines(evidence);
  std::int64_t ns = 0, calls = 0;
  for (const StackTime& time : stack_times(evidence.run().processes[program->process], main->slot)) {
    const std::uint32_t node = evidence.lines().node_of(program->process, time.node);
    if (time.waits != log::WaitClass::Lock || time.blocked_ns <= 0 || node == fold::CallTree::kNoNode) continue;
    if (!below(evidence.lines(), node, ends_state) || !lines.add(node, time.blocked_ns)) continue;
    ns = model::saturated_sum(ns, time.blocked_ns);
    calls = model::saturated_sum(calls, time.calls);
  }
  const double share = share_of_life(evidence, {program->process, main->slot}, ns);
  if (share < kWaitingLine || ns < kLeastWaitNs || calls < kManyFutures) return {};
  const double beside = static_cast<double>(time_of_threads(evidence, {program->process, main->slot}));
  if (beside > kBesideEachOther * static_cast<double>(ns)) return {};
  Finding finding;
  finding.rule = kThrownAwayFuturesRule.name;
  finding.title = "The futures of std::async are not kept, so that each is waited for at once";
  finding.seen =
      fmt::format("{} waited for the work to end, {} in all.",
                  show::counted(calls, "end of a future", "ends of futures"), show::duration(static_cast<double>(ns)));
  finding.advice =
      "Keep what std::async returns (std::vector<std::future<T>>) until all of it is started, or hand the work to a "
      "pool of threads.";
  finding.places = lines.top();
  could_save_of_run(finding, evidence, share);
  return {finding};
}

}  // namespace
}  // namespace thrown_away_futures

const Rule kThrownAwayFuturesRule{"thrown-away-futures", "futures of std::async that are not kept",
                                  thrown_away_futures::cannot, thrown_away_futures::look};

}  // namespace prof::findings
