// Work is given to a pool, and its result asked for at once: one piece is under way at any time, however many workers
// the pool has.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace results_at_once {
namespace {

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

// "x = pool.submit(step, x).result()".
bool goes_on(std::string_view statement) {
  std::size_t end = 0;
  while (end < statement.size() && is_name(statement[end])) ++end;
  const std::size_t equals = statement.find_first_not_of(' ', end);
  if (end == 0 || equals == std::string_view::npos || statement[equals] != '=') return false;
  return find_word(statement.substr(equals), statement.substr(0, end)) != std::string_view::npos;
}

// A pool of one, as the thread that owns something.
bool has_one_worker(const Lines& lines) {
  return std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("max_workers=1)") != std::string::npos || line.find("max_workers=1,") != std::string::npos ||
           line.find("PoolExecutor(1)") != std::string::npos || line.find("Pool(1)") != std::string::npos ||
           line.find("newSingleThread") != std::string::npos || line.find("newFixedThreadPool(1)") != std::string::npos;
  });
}

// Whether the statement that the line belongs to, of three lines at most, gives the work and asks for its result.
bool in_one_statement(const Lines& lines, std::size_t number) {
  constexpr std::string_view kBoth[][2] = {
      {".submit(", ").result("},   {".submit(", ").get("}, {".apply_async(", ").get("}, {"supplyAsync(", ").get("},
      {"supplyAsync(", ").join("}, {"pool.apply(", ")"},   {"executor.apply(", ")"}};
  constexpr std::size_t kLines = 3;
  if (number == 0 || number > lines.size()) return false;
  for (std::size_t first = number > kLines ? number - kLines : 0; first < number; ++first) {
    std::string text;
    for (std::size_t i = first; i < number; ++i) text += std::string(code_of(lines[i], "#")) + ' ';
    const bool both = std::any_of(std::begin(kBoth), std::end(kBoth), [&](const std::string_view(&words)[2]) {
      const std::size_t gives = text.find(words[0]);
      return gives != std::string::npos && text.find(words[1], gives) != std::string::npos;
    });
    const std::string_view head = std::string_view(text).substr(indent_of(text));
    // What is collected is asked for when all was given; what goes on from the last result has to wait for it.
    if (both && first + 1 == number && !head.starts_with("[") && !goes_on(head)) return true;
  }
  return false;
}

// How many workers the pools of a file have, where it says so; else what Python's threads have without a number.
std::int64_t workers_of(const Lines& lines, double processors) {
  constexpr std::string_view kSays[] = {"max_workers=", "PoolExecutor(", "Pool(", "newFixedThreadPool("};
  constexpr double kMoreThanProcessors = 4, kMostByDefault = 32;  // concurrent.futures.ThreadPoolExecutor's
  std::int64_t most = 0;
  for (const std::string& line : lines) {
    for (const std::string_view says : kSays) {
      const std::size_t at = line.find(says);
      std::int64_t number = 0;
      if (at != std::string::npos &&
          std::from_chars(line.data() + at + says.size(), line.data() + line.size(), number).ec == std::errc())
        most = std::max(most, number);
    }
  }
  return most > 0 ? most : whole_number(std::min(processors + kMoreThanProcessors, kMostByDefault));
}

// What a call like "x.result(" in the line is asked of: "x"; empty: there is none, or it is no plain name.
std::string_view asked_in(std::string_view line) {
  for (const std::string_view call : {".result(", ".get(", ".join("}) {
    const std::size_t at = line.find(call);
    if (at == std::string_view::npos) continue;
    std::size_t begin = at;
    while (begin > 0 && is_name(line[begin - 1])) --begin;
    if (begin < at && (begin == 0 || line[begin - 1] != '.')) return line.substr(begin, at - begin);
  }
  return {};
}

// The name that a statement gives a value: "km" of "km = ..." and of "Future<Label> km = ..."; empty: none.
std::string_view given_name(std::string_view statement) {
  const std::size_t equals = statement.find(" = ");
  if (equals == std::string_view::npos) return {};
  std::size_t begin = equals;
  while (begin > 0 && is_name(statement[begin - 1])) --begin;
  return statement.substr(begin, equals - begin);
}

// Whether a line asks for the result of what a statement right before it, at the same depth, gave: no loop is between
// the two.
bool in_next_statement(const Lines& lines, std::size_t number) {
  constexpr std::string_view kGives[] = {".submit(", ".apply_async(", "supplyAsync("};
  constexpr std::size_t kLines = 6;
  if (number < 2 || number > lines.size()) return false;
  const std::string_view asks = lines[number - 1], of = asked_in(asks);
  if (of.empty()) return false;
  const std::string_view result = given_name(asks);
  std::string text;  // of the statement, from its end
  for (std::size_t i = number - 1; i > 0 && number - i <= kLines; --i) {
    const std::string_view line = lines[i - 1];
    const std::size_t indent = indent_of(line);
    if (indent < indent_of(asks)) return false;
    text.insert(0, std::string(line) + ' ');
    if (indent != indent_of(asks) || given_name(line) != of) continue;
    const bool gives =
        std::any_of(std::begin(kGives), std::end(kGives), [&](auto call) { return text.find(call) != text.npos; });
    // What goes on from the last result has to wait for it.
    return gives && (result.empty() || find_word(text, result) == std::string::npos);
  }
  return false;
}

// The line (from 1) of the innermost loop that a line stands in, by indentation; 0: of none in its function.
std::size_t loop_around(const Lines& lines, std::size_t number) {
  std::size_t depth = indent_of(lines[number - 1]);
  for (std::size_t i = number - 1; i > 0 && depth > 0; --i) {
    const std::string_view line = lines[i - 1];
    const std::size_t its = indent_of(line);
    if (its == line.size() || its >= depth) continue;
    depth = its;
    const std::string_view code = line.substr(its);
    if (code.starts_with("def ") || code.starts_with("async def ")) return 0;
    if (code.starts_with("for") || code.starts_with("while") || code.starts_with("async for")) return i;
  }
  return 0;
}

// Whether what is given depends on the last result, by the names: pages of which each says where the next one is. A
// loop that goes on while something holds is taken for one.
bool goes_on_from_result(const Lines& lines, std::size_t number) {
  constexpr std::size_t kMostLines = 60;
  const std::size_t loop = loop_around(lines, number);
  if (loop == 0) return false;
  const std::string_view head = std::string_view(lines[loop - 1]).substr(indent_of(lines[loop - 1]));
  if (head.starts_with("while") || head.starts_with("for (;;")) return true;
  std::size_t end = number;
  while (end < lines.size() && end - loop < kMostLines &&
         (indent_of(lines[end]) == lines[end].size() || indent_of(lines[end]) > indent_of(lines[loop - 1])))
    ++end;
  // From what follows the line to what stands before it in the next turn.
  std::set<std::string, std::less<>> names;
  if (const std::string_view result = given_name(lines[number - 1]); !result.empty()) names.emplace(result);
  const auto follow = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const std::string_view line = lines[i], name = given_name(line);
      const auto depends = [&](const std::string& on) {
        return find_word(line, on, line.find(" = ") + 1) != line.npos;
      };
      if (!name.empty() && std::any_of(names.begin(), names.end(), depends)) names.emplace(name);
    }
  };
  follow(number, end);
  follow(loop, number - 1);
  const std::string_view asked = asked_in(lines[number - 1]);
  return !asked.empty() && names.contains(asked);
}

bool asks_at_once(const Lines& lines, std::size_t number) {
  return (in_one_statement(lines, number) || in_next_statement(lines, number)) && !goes_on_from_result(lines, number);
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

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  const model::Thread* main = program ? program_thread(evidence, program->process) : nullptr;
  if (main == nullptr) return {};
  const ThreadOf thread{program->process, main->slot};
  const std::vector<bool> waiting = all_below(evidence.lines(), waits_for_result);
  symbols::SourceFiles files(evidence.run());
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
  if (real(worked_for(evidence, thread)) > kAtOnce * real(ns)) return {};
  const std::int64_t at_once = ns / std::max<std::int64_t>(1, workers);
  const std::int64_t saved = std::max<std::int64_t>(0, ns - std::max(at_once, computed_meanwhile(evidence, thread)));
  const double share = share_of_life(evidence, thread, saved);
  if (share < kWaitingLine || saved < kLeastWaitNs || real(calls) < real(kManyJobs)) return {};
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
  return {finding};
}

}  // namespace
}  // namespace results_at_once

const Rule kResultsAtOnceRule{"results-at-once", "results of a pool that are waited for one by one",
                              results_at_once::cannot, results_at_once::look};

}  // namespace prof::findings
