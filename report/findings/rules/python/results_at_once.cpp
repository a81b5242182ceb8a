// Work is given to a pool, and its result asked for at once: one piece is under way at any time, however many workers
// the pool has.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/python/asked_results.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace results_at_once {
namespace {

using namespace asked_results;

constexpr fold::FunctionAt kResults[] = {{"/concurrent/futures/_base.py", "result"},
                                         {"/multiprocessing/pool.py", "get"},
                                         {"/multiprocessing/pool.py", "apply"}};

constexpr std::string_view kResultsOfJava[] = {
    "java.util.concurrent.FutureTask.get", "java.util.concurrent.CompletableFuture.get",
    "java.util.concurrent.CompletableFuture.join", "java.util.concurrent.ForkJoinTask.get",
    "java.util.concurrent.ForkJoinTask.join"};

bool is_one_of_java(const symbols::Function& function, std::span<const std::string_view> names) {
  return function.module == symbols::kMadeByJava && std::find(names.begin(), names.end(), function.name) != names.end();
}

bool waits_for_result(const symbols::Function& function) {
  return fold::is_any(function, kResults) || is_one_of_java(function, kResultsOfJava);
}

bool works_in_pool(const symbols::Function& function) {
  static constexpr fold::FunctionAt kWorkers[] = {{"/concurrent/futures/thread.py", "_worker"},
                                                  {"/multiprocessing/pool.py", "worker"},
                                                  {"/concurrent/futures/process.py", "_process_worker"}};
  constexpr std::string_view kOfJava[] = {"java.util.concurrent.ThreadPoolExecutor.runWorker",
                                          "java.util.concurrent.ForkJoinWorkerThread.run"};
  return fold::is_any(function, kWorkers) || is_one_of_java(function, kOfJava);
}

bool runs_java(const Evidence& evidence) {
  for (std::uint32_t id = 0; id < evidence.symbols().function_count(); ++id) {
    if (evidence.symbols().function(id).module == symbols::kMadeByJava) return true;
  }
  return false;
}

// What workers compute takes as long side by side: threads take turns at the interpreter, processes at the processors.
std::int64_t computed_meanwhile(const Evidence& evidence, const ThreadOf& program) {
  const bool java = runs_java(evidence);
  double ns = 0;
  for (std::size_t i = 0; i < evidence.run().processes.size(); ++i) {
    const model::Process& process = evidence.run().processes[i];
    const std::vector<bool>& working = evidence.stacks(i, works_in_pool);
    const bool takes_turns = i == program.process && !java;
    const double side_by_side = takes_turns ? 1 : std::max(1.0, process.cpus.value_or(1));
    for (const auto& row : process.tree.cpu) {
      if (working[row.node]) ns += real(row.metric.ns) / side_by_side;
    }
  }
  return whole_number(ns);
}

// What the pool's threads of that process did for those who asked: computing and waiting below code of the user's own.
std::int64_t worked_for(const Evidence& evidence, const ThreadOf& program) {
  const model::Process& process = evidence.run().processes[program.process];
  const std::vector<bool>& working = evidence.stacks(program.process, works_in_pool);
  const auto own = [&](std::uint32_t node) {
    const std::uint32_t line = evidence.lines().node_of(program.process, node);
    return working[node] && line != fold::CallTree::kNoNode && evidence.own_location(line) != 0;
  };
  std::int64_t ns = 0;
  for (const auto& row : process.tree.cpu)
    if (own(row.node)) ns = model::saturated_sum(ns, row.metric.ns);
  for (const auto& row : process.tree.waits)
    if (own(row.node)) ns = model::saturated_sum(ns, row.metric.blocked_ns());
  return ns;
}

constexpr double kAtOnce = 1.5;

const char* cannot(const Evidence& evidence) {
  if (const char* why = no_python_frames(evidence); why != nullptr && !runs_java(evidence)) return why;
  return evidence.lines().waits_known() ? nullptr : "what threads waited for was not recorded";
}

std::optional<Finding> of_process(const Evidence& evidence, std::size_t process) {
  const model::Thread* main = program_thread(evidence, process);
  if (main == nullptr) return std::nullopt;
  const ThreadOf thread{process, main->slot};
  const std::vector<bool> waiting = all_below(evidence.lines(), waits_for_result);
  symbols::SourceFiles& files = evidence.sources();
  TimeByPlace sums(evidence);
  std::map<std::uint32_t, bool> known;  // by location
  std::int64_t ns = 0, calls = 0, workers = 0;
  const double processors = std::max(1.0, evidence.run().processes[thread.process].cpus.value_or(1));
  // Who waits for a pool is idle, as a rule: it is the workers who are waited for.
  for (const StackTime& time : stack_times(evidence.run().processes[thread.process], thread.slot)) {
    const std::uint32_t node = evidence.lines().node_of(thread.process, time.node);
    if (time.blocked_ns <= 0 || node == fold::CallTree::kNoNode || !waiting[node]) continue;
    const std::uint32_t line = evidence.own_location(node);
    if (line == 0) continue;
    const auto [found, is_new] = known.try_emplace(line, false);
    if (is_new) {
      const Place place = place_of(evidence.symbols(), line);
      const Lines& lines = files.file(place.file).lines;
      found->second = !has_one_worker(lines) && asks_at_once(lines, static_cast<std::size_t>(place.line));
      if (found->second) workers = std::max(workers, workers_of(lines, processors));
    }
    if (!found->second || !sums.add(node, time.blocked_ns)) continue;
    ns = model::saturated_sum(ns, time.blocked_ns);
    calls = model::saturated_sum(calls, time.calls);
  }
  // Where others give work to the pool as well, it is not idle.
  if (real(worked_for(evidence, thread)) > kAtOnce * real(ns)) return std::nullopt;
  const std::int64_t at_once = ns / std::max<std::int64_t>(1, workers);
  const std::int64_t saved = std::max<std::int64_t>(0, ns - std::max(at_once, computed_meanwhile(evidence, thread)));
  const double share = share_of_life(evidence, thread, saved);
  if (share < kWaitingLine || saved < kLeastWaitNs || real(calls) < real(kManyJobs)) return std::nullopt;
  Finding finding;
  finding.rule = kResultsAtOnceRule.name;
  finding.title = "Each result of a pool is waited for before the next piece of work is given to it";
  finding.seen =
      fmt::format("One piece is waited for at a time, {} in all ({} % of the run's time).",
                  show::duration(static_cast<double>(ns)), show::percent(share_of_life(evidence, thread, ns), 1));
  finding.advice =
      runs_java(evidence)
          ? "Give all of it first and collect the results then: invokeAll(), or a list of futures that a second loop "
            "goes through. Where there is nothing to do at once, no pool is needed."
          : "Give all of it first and collect the results then: pool.map(), or a list of futures that as_completed() "
            "or "
            "a second loop goes through. Where there is nothing to do at once, no pool is needed.";
  finding.places = sums.top();
  could_save_of_run(finding, evidence, share);
  return finding;
}

// Of the program; where it is processes that work for a pool, the program may be one of these, and who asks has little
// to compute.
std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return {};
  if (std::optional<Finding> finding = of_process(evidence, program->process)) return {std::move(*finding)};
  if (evidence.has_steps()) return {};
  std::vector<Finding> out;
  for (std::size_t i = 0; i < evidence.run().processes.size(); ++i) {
    const std::vector<bool>& asks = evidence.stacks(i, waits_for_result);
    if (i == program->process || !evidence.selection().includes(evidence.run().processes[i]) ||
        std::find(asks.begin(), asks.end(), true) == asks.end())
      continue;
    std::optional<Finding> finding = of_process(evidence, i);
    if (!finding || (!out.empty() && out.front().saves >= finding->saves)) continue;
    out.clear();
    out.push_back(std::move(*finding));
  }
  return out;
}

}  // namespace
}  // namespace results_at_once

const Rule kResultsAtOnceRule{"results-at-once", "results of a pool that are waited for one by one",
                              results_at_once::cannot, results_at_once::look};

}  // namespace prof::findings
