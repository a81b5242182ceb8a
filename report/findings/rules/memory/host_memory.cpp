// The memory of a process grows with each step and does not stop.
#include <fmt/format.h>

#include <utility>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/memory/growth.hpp"
#include "report/findings/rules/memory/malloc_overhead.hpp"
#include "report/findings/rules/shared/growing_lines.hpp"
#include "report/findings/rules/shared/javascript_heap.hpp"
#include "report/findings/rules/shared/memory_level.hpp"
#include "report/findings/thresholds.hpp"
#include "report/findings/when.hpp"
#include "report/fold/memory/leaks.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace host_memory {
namespace {

std::optional<Finding> of_level(const Evidence& evidence, const fold::StepTable& table) {
  const model::Process& process = evidence.run().processes[table.process];
  if (table.steps == nullptr || process.heap_mode == log::HeapMode::Exact) return std::nullopt;
  const Span steady = steady_span(table);
  if (steady.end_monotonic_ns == 0) return std::nullopt;
  // After the last step a program gives back what it has.
  const Level level = level_of(process, steady.begin_monotonic_ns, steady.end_monotonic_ns);
  if (level.interval_s <= 0 || level.values.size() < fold::kLeastMoments) return std::nullopt;
  const auto trend = fold::growing(level.values, level.interval_s);
  if (!trend || trend->grown < kLeastGrown || is_given_back(level.values, trend->grown)) return std::nullopt;
  if ((trend->per_s - 2 * trend->error_per_s) * kSecondsOfDay < real(kGrownInADay)) return std::nullopt;
  Finding finding;
  finding.rule = kHostMemoryRule.name;
  finding.title = "Memory grows from step to step";
  finding.seen = fmt::format("What the program has allocated grew by {} in {}, without an end: {}.",
                             show::bytes(real(trend->grown)), show::duration(trend->seconds * 1e9),
                             growth_rate(evidence, table.process, *trend));
  finding.places = holding_lines(evidence, trend->grown).places;
  finding.advice = finding.places.empty()
                       ? "Record with --heap exact: then the line that grows is known."
                       : "The lines hold as much as that; record with --heap exact to be sure. See what keeps it: a "
                         "list or dict that is appended to in each step, tensors that keep the graph they were "
                         "computed by, caches without a bound.";
  finding.saves_bytes = trend->grown;
  finding.when = {last_seconds(evidence.run(), table.process, steady.end_monotonic_ns, trend->seconds)};
  name_keeper(evidence, finding);
  return finding;
}

// What grows in blocks that stay takes more of the system than it holds.
void tell_of_holes(const Evidence& evidence, Finding& finding) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  const std::int64_t holes = program ? malloc_overhead_bytes(evidence, evidence.run().processes[program->process]) : 0;
  if (real(holes) < kHolesOfGrowth * real(finding.saves_bytes)) return;
  finding.seen += fmt::format(
      " malloc had {} more of the system than ever lived: blocks that stay keep what was freed around them.",
      show::bytes(real(holes)));
  finding.saves_more = true;
}

const char* cannot(const Evidence& evidence) {
  const auto known = evidence.leaks().known;
  if (known == fold::LeaksKnown::ByThread) return "what is live cannot be told by thread";
  if (known == fold::LeaksKnown::Yes) return nullptr;
  for (const fold::StepTable& table : evidence.steps()) {
    if (evidence.run().processes[table.process].series.size() >= fold::kLeastMoments) return nullptr;
  }
  if (const auto program = program_thread(evidence); program && !evidence.has_steps()) {
    if (evidence.run().processes[program->process].series.size() >= kMomentsOfLife) return nullptr;
  }
  return "neither levels of memory over the steps were recorded nor allocations exactly (--heap exact)";
}

std::vector<Finding> look(const Evidence& evidence) {
  std::vector<Finding> out = growth_of_lines(evidence);
  if (!out.empty()) return out;
  // Which is told with its cause.
  if (kKeptGraphsRule.cannot(evidence) == nullptr && !kKeptGraphsRule.look(evidence).empty()) return out;
  for (const fold::StepTable& table : evidence.steps()) {
    if (auto finding = of_level(evidence, table)) {
      out.push_back(std::move(*finding));
      break;
    }
  }
  if (out.empty() && !evidence.has_steps()) {
    auto finding = growth_of_life(evidence);
    if (!finding) finding = growing_javascript(evidence);
    if (finding) out.push_back(std::move(*finding));
  }
  if (!out.empty() && kMallocOverheadRule.look(evidence).empty()) tell_of_holes(evidence, out.front());
  return out;
}

}  // namespace
}  // namespace host_memory

const Rule kHostMemoryRule{"host-memory-grows", "memory of the host that grows by 16 MiB and more", host_memory::cannot,
                           host_memory::look};

}  // namespace prof::findings
