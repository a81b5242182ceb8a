// A loop that only looks whether something has happened, and keeps a processor busy with that.
#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/empty_loop.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/waiting/holds.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace busy_waiting {
namespace {

// By own line, whether it is part of such a loop.
class Loops {
 public:
  explicit Loops(const Evidence& evidence) : evidence_(evidence), files_(evidence.sources()) {}

  bool has(std::uint32_t location) {
    if (location == 0) return false;
    const auto [found, is_new] = known_.try_emplace(location, false);
    if (!is_new) return found->second;
    const Place place = place_of(evidence_.symbols(), location);
    const symbols::Location& at = evidence_.symbols().location(location);
    const bool python = evidence_.symbols().function(at.function).language == symbols::Language::Python;
    if (place.line > 0 && !place.file.empty()) {
      found->second = in_empty_loop(files_.file(place.file).lines, static_cast<std::size_t>(place.line), python);
    }
    return found->second;
  }

 private:
  const Evidence& evidence_;
  symbols::SourceFiles& files_;
  std::map<std::uint32_t, bool> known_;
};

bool is_of_asyncio(const symbols::Function& function) { return function.file.find("/asyncio/") != std::string::npos; }

// Of tasks of asyncio that wait in such a loop, what their turns cost outside of it: the event loop's own work, above
// all functions of the task's and below no other line of its.
class Turns {
 public:
  Turns(const Evidence& evidence, Loops& loops) : evidence_(evidence) {
    for (const std::uint32_t node : evidence.timed()) {
      if (!loops.has(evidence.own_location(node))) continue;
      if (const symbols::Function* task = fold::task_of(evidence.lines(), node)) tasks_.insert(task);
    }
  }

  bool any() const { return !tasks_.empty(); }

  bool has(std::uint32_t node) const {
    if (tasks_.empty()) return false;
    for (; node != 0; node = evidence_.lines().nodes()[node].parent) {
      const symbols::Function& function = evidence_.lines().function(node);
      if (function.language == symbols::Language::Task) return tasks_.contains(&function);
      if (function.language != symbols::Language::Python) continue;  // what works for those above
      if (!is_of_asyncio(function)) return false;
      if (function.name.ends_with("_run_once")) return true;
    }
    return false;
  }

 private:
  const Evidence& evidence_;
  std::set<const symbols::Function*> tasks_;
};

// CPU time of the program's own code that such a loop calls: `while not step(): pass` may be how the work is done.
std::int64_t called_ns(const Evidence& evidence, Loops& loops) {
  const fold::CallTree& lines = evidence.lines();
  std::vector<bool> inside(lines.nodes().size());
  std::int64_t ns = 0;
  for (std::uint32_t node = 1; node < inside.size(); ++node) {
    const fold::CallNode& at = lines.nodes()[node];
    const bool own = evidence.own().function(lines.function_id(node));
    inside[node] = inside[at.parent] || (own && loops.has(at.location));
    const bool counts = inside[node] && lines.self().cpu[node].ns > 0 && !loops.has(evidence.own_location(node));
    if (counts) ns = model::saturated_sum(ns, lines.self().cpu[node].ns);
  }
  return ns;
}

std::vector<Finding> look(const Evidence& evidence) {
  Loops loops(evidence);
  const Turns turns(evidence, loops);
  const auto looks = [&](std::uint32_t node) { return loops.has(evidence.own_location(node)); };
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) { return looks(node) || turns.has(node); });
  if (cpu.share() < kActivity || cpu.ns < kLeastActivityNs || cpu.places.empty()) return {};
  if (!turns.any() && called_ns(evidence, loops) > cpu.ns) return {};
  Finding finding;
  finding.rule = kBusyWaitingRule.name;
  const auto of_task = [&](std::uint32_t node) {
    return turns.has(node) || (looks(node) && fold::task_of(evidence.lines(), node) != nullptr);
  };
  if (turns.any() && cpu_at(evidence, of_task).ns > cpu.ns / 2) {
    finding.title = "A task waits by looking again in each turn of the event loop";
    finding.seen = fmt::format("{}, in a loop that gives way and looks, and in the event loop's turns for that.",
                               cpu_words(evidence, cpu));
    finding.advice =
        "Await what makes the condition true: an asyncio.Event, Condition, Queue or Future that whoever changes the "
        "state sets.";
    finding.places = cpu_at(evidence, looks).places;
    could_save(finding, evidence, cpu);
    return {finding};
  }
  finding.title = "A loop waits by looking again and again";
  finding.seen = fmt::format("{}, in a loop that does nothing but look. What it waits for takes as long without that.",
                             cpu_words(evidence, cpu));
  finding.advice =
      "Let the thread sleep until it is woken: a condition variable, an event, a queue, join(), std::atomic::wait(); "
      "select or poll for descriptors. Where nothing can wake it, sleep between two looks.";
  finding.places = cpu.places;
  // What the loop waits for takes as long while it sleeps.
  could_save_of_run(finding, evidence, cpu, share_of_run(evidence, cpu.ns));
  finding.of_processors = true;
  return {finding};
}

const char* cannot(const Evidence& evidence) { return evidence.own().any() ? nullptr : "no code of your own was seen"; }

}  // namespace
}  // namespace busy_waiting

const Rule kBusyWaitingRule{"busy-waiting", "loops that only look whether something has happened", busy_waiting::cannot,
                            busy_waiting::look};

}  // namespace prof::findings
