#include "report/findings/rules/shared/javascript_heap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/findings/javascript.hpp"
#include "report/findings/keeper_javascript.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/growth_advice.hpp"
#include "report/findings/rules/shared/memory_level.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/findings/when.hpp"
#include "report/fold/memory/leaks.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace {

constexpr const char* kSnapshot =
    "A heap snapshot says who holds what (node --heapsnapshot-near-heap-limit=1, the browser's DevTools). What is "
    "needed until the end takes that much: streams or files hold less.";

// Whether a line of its scripts keeps what nobody wants to be kept.
bool keeps_for_sure(const Evidence& evidence, const model::Process& process) {
  symbols::SourceFiles& files = evidence.sources();
  const std::vector<std::string> scripts = scripts_of(evidence, process);
  return std::any_of(scripts.begin(), scripts.end(), [&](const std::string& script) {
    const std::vector<KeptByScript> kept = kept_by_script(files.file(script).lines);
    return !kept.empty() && !kept.front().may_be_wanted;
  });
}

}  // namespace

std::optional<Finding> growing_javascript(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return std::nullopt;
  const model::Process& process = evidence.run().processes[program->process];
  if (!runs_javascript(process)) return std::nullopt;
  // Its beginning has what any program of Node allocates; and in the end V8 takes its time to give the heap back.
  const auto part = static_cast<std::uint64_t>(real(model::to_signed(process.wall_ns())) * kEdgeOfLife);
  Level level = resident_level_of(process, process.start_monotonic_ns + part);
  const std::size_t rise = moments_of_rise(level.values);
  if (level.interval_s <= 0 || real(rise) < kRisesOn * real(level.values.size())) return std::nullopt;
  level.values.resize(rise);
  if (level.values.size() < kMomentsOfLife) return std::nullopt;
  const auto trend = fold::growing(level.values, level.interval_s);
  if (!trend || trend->grown < kGrownScriptHeap) return std::nullopt;
  // Who reads its data first and works on it then looks the same for a while.
  if (trend->seconds < (keeps_for_sure(evidence, process) ? kLeastSecondsOfLife : kLeastSecondsOfNative))
    return std::nullopt;
  const double judged = level.interval_s * static_cast<double>(level.values.size());
  if (trend->seconds < kMostOfLife * judged || !only_rises(level.values) || !is_even(level.values, kEven))
    return std::nullopt;
  Finding finding;
  finding.rule = kHostMemoryRule.name;
  finding.title = "Memory grows all the time";
  finding.symptom = true;
  finding.saves_bytes = trend->grown;
  finding.seen = fmt::format(
      "What was resident grew by {} in {} beside malloc's blocks, evenly and until its end: {} a second. It is "
      "JavaScript's heap.",
      show::bytes(real(trend->grown)), show::duration(trend->seconds * 1e9),
      show::bytes(real(trend->grown) / trend->seconds));
  finding.advice = growth_advice(process, false) + ' ' + kSnapshot;
  finding.places = {Place{process.exe, 0, "JavaScript's objects and buffers"}};
  const std::uint64_t until_ns = process.start_monotonic_ns + part + static_cast<std::uint64_t>(judged * 1e9);
  finding.when = {last_seconds(evidence.run(), program->process, until_ns, trend->seconds)};
  name_lines_of_script(evidence, process, finding);
  return finding;
}

void name_lines_of_script(const Evidence& evidence, const model::Process& process, Finding& finding) {
  symbols::SourceFiles& files = evidence.sources();
  for (const std::string& script : scripts_of(evidence, process)) {
    const symbols::SourceFile& file = files.file(script);
    const std::vector<KeptByScript> kept = kept_by_script(file.lines);
    if (kept.empty()) continue;
    std::vector<std::string> names;
    std::vector<Place> places;
    for (const KeptByScript& one : kept) {
      places.push_back({file.path.string(), static_cast<std::int64_t>(one.line), {}});
      names.push_back(fmt::format("{}:{}", base_name(places.back().file), one.line));
    }
    // It is told by the source alone: what was measured stands first.
    finding.places.insert(finding.places.begin() + std::min<std::ptrdiff_t>(1, std::ssize(finding.places)),
                          places.begin(), places.end());
    finding.advice = fmt::format("By the source, {} may be what keeps it. {} {}", fmt::join(names, " or "),
                                 kept.front().how, kSnapshot);
    return;
  }
}

}  // namespace prof::findings
