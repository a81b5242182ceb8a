// Much of the CPU time goes to one thing that a line of the program asks for again and again: pickling, regular
// expressions, the garbage collector and the like. What a stack does is told by fold/own/activity.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/own/activity.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace {

struct Family {
  const char* rule;
  const char* activity;  // as fold::Activities calls it
  const char* title;
  const char* advice;
};

constexpr Family kPickles{
    "pickling", "pickling", "Objects are pickled and unpickled",
    "Send less: indices or file names in place of the data, results that are small; hand large arrays over in shared "
    "memory (multiprocessing.shared_memory, numpy.memmap) or let each process load its own; give a pool larger chunks "
    "(chunksize=)."};
constexpr Family kRegex{
    "regular-expressions", "regular expressions", "Regular expressions take much of the time",
    "Look for what backtracks: nested repetitions such as (a+)+, or .* more than once; anchor the pattern, use str "
    "methods for fixed text, compile it once (re.compile) outside of the loop."};
constexpr Family kJson{
    "json", "JSON", "JSON is written and read",
    "Convert once and keep the result, write only what has changed, or use a faster library (orjson, "
    "msgspec) or a binary format."};
constexpr Family kDeepcopy{"deepcopy", "deepcopy", "Objects are copied with copy.deepcopy",
                           "Copy only what changes (copy.copy, dict(x), dataclasses.replace), or keep the data "
                           "immutable and share it."};
constexpr Family kGarbage{
    "garbage-collector", "garbage collector", "Python's garbage collector takes much of the time",
    "Many live objects are walked again and again: gc.freeze() after the start, a higher threshold (gc.set_threshold), "
    "gc.disable() around a phase that allocates, or fewer small objects (arrays, tuples, __slots__)."};
constexpr Family kLogging{"logging", "logging", "Logging takes much of the time",
                          "Log less in hot places: check logger.isEnabledFor(), pass arguments in place of formatted "
                          "text, or hand records to a QueueHandler."};
constexpr Family kCompiling{"compiling", "compiling code", "Code is compiled again and again",
                            "Compile once and keep the result: compile() outside of the loop, one function in place of "
                            "eval() or exec()."};

const char* cannot(const Evidence& evidence) {
  for (const model::Process& process : evidence.run().processes) {
    if (evidence.selection().includes(process) && process.python && process.python->frames) return nullptr;
  }
  return "no frames of Python were recorded";
}

// What each node does, below the innermost own frame.
std::vector<std::uint32_t> activities_of(const Evidence& evidence, fold::Activities& activities) {
  const auto& nodes = evidence.lines().nodes();
  std::vector<fold::Activity> at(nodes.size());
  std::vector<std::uint32_t> names(nodes.size());
  for (std::uint32_t node = 1; node < nodes.size(); ++node) {
    const std::uint32_t function = evidence.lines().function_id(node);
    if (!evidence.own().function(function)) at[node] = at[nodes[node].parent].below(activities.of(function));
    names[node] = at[node].name;
  }
  return names;
}

bool in_pool(const symbols::Function& function) {
  return function.language == symbols::Language::Python && (function.file.ends_with("/multiprocessing/pool.py") ||
                                                            function.file.ends_with("/concurrent/futures/_base.py"));
}

// Threads of a pool pickle for the line that waits for the pool.
std::vector<Place> using_pools(const Evidence& evidence, const Family& family) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (&family != &kPickles || !program) return {};
  TimeByPlace sums(evidence);
  for (const LineTime& time : line_times(evidence, *program)) {
    if (time.blocked_ns <= 0 || !below(evidence.lines(), time.node, in_pool)) continue;
    if (const auto place = evidence.own_place(time.node)) sums.add(*place, time.blocked_ns);
  }
  std::vector<Place> out = sums.top();
  if (out.size() > 1) out.resize(1);
  return out;
}

std::vector<Finding> look_for(const Evidence& evidence, const Family& family) {
  fold::Activities activities(evidence.symbols());
  const std::vector<std::uint32_t> names = activities_of(evidence, activities);
  const CpuAt cpu =
      cpu_at(evidence, [&](std::uint32_t node) { return activities.name(names[node]) == family.activity; });
  if (cpu.share() < kActivity || cpu.ns < kLeastActivityNs) return {};
  Finding finding;
  finding.rule = family.rule;
  finding.title = family.title;
  finding.seen = fmt::format("{} of CPU time, {} % of all.", show::duration(static_cast<double>(cpu.ns)),
                             show::percent(cpu.share(), 1));
  finding.advice = family.advice;
  finding.places = cpu.places;
  for (Place& place : using_pools(evidence, family)) {
    if (std::find(finding.places.begin(), finding.places.end(), place) == finding.places.end()) {
      finding.places.insert(finding.places.begin(), std::move(place));
    }
  }
  if (finding.places.empty()) return {};
  could_save(finding, evidence, share_of_wall(evidence, cpu));
  return {finding};
}

template <const Family& family>
std::vector<Finding> look(const Evidence& evidence) {
  return look_for(evidence, family);
}

}  // namespace

const Rule kPicklingRule{kPickles.rule, "pickling", cannot, look<kPickles>};
const Rule kRegexRule{kRegex.rule, "regular expressions", cannot, look<kRegex>};
const Rule kJsonRule{kJson.rule, "JSON", cannot, look<kJson>};
const Rule kDeepcopyRule{kDeepcopy.rule, "deep copies", cannot, look<kDeepcopy>};
const Rule kGarbageRule{kGarbage.rule, "the garbage collector", cannot, look<kGarbage>};
const Rule kLoggingRule{kLogging.rule, "logging", cannot, look<kLogging>};
const Rule kCompilingRule{kCompiling.rule, "code that is compiled again", cannot, look<kCompiling>};

}  // namespace prof::findings
