#include "report/show/training/step_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::show {
namespace {

using fold::Outlier;
using fold::StepTable;

constexpr double kSeen = 0.5;     // of such a change, in what steps compute and wait for in calls
constexpr double kChange = 0.05;  // of a step's time over the run: less is noise
constexpr double kLittle = 0.01;
constexpr double kOutside = 0.2;                         // of the process's time, before and after its steps
constexpr std::int64_t kLeastOutsideNs = 2'000'000'000;  // a start like any other

// What most of the slow steps had more of; empty: some had this and some that.
std::string common_cause(const std::vector<Outlier>& outliers) {
  const std::string first = outlier_cause(outliers.front());
  const bool all = std::all_of(outliers.begin(), outliers.end(),
                               [&](const Outlier& other) { return outlier_cause(other) == first; });
  return all ? first : std::string();
}

std::string slow_steps(const StepTable& table) {
  const std::vector<Outlier>& slow = table.outliers;
  const std::string how_many = counted(std::ssize(slow), "step was", "steps were");
  std::string out = fmt::format("{} much longer than the others", how_many);
  if (table.period)
    out += fmt::format(", {} every {} steps", table.of_longest ? "the longest" : "most of them", *table.period);
  const std::string cause = common_cause(slow);
  if (!cause.empty()) {
    out += fmt::format("; the time went to {}", cause);
  } else {
    out += fmt::format("; the longest, number {} with {}, by {} of {}", slow.front().number,
                       duration(real(slow.front().ns)), duration(real(slow.front().surplus_ns)),
                       outlier_cause(slow.front()));
  }
  return out;
}

std::int64_t ns_between(std::uint64_t from, std::uint64_t to) { return from < to ? model::to_signed(to - from) : 0; }

// What the thread of the steps imported before them.
std::int64_t imports_ns(const model::Process& process, const model::Steps& steps, std::uint64_t before) {
  const auto is_its = [&](std::uint32_t slot) {
    return std::any_of(process.threads.begin(), process.threads.end(),
                       [&](const model::Thread& thread) { return thread.slot == slot && thread.tid == steps.tid; });
  };
  std::int64_t sum = 0;
  for (const model::Import& import : process.imports) {
    if (import.depth == 0 && import.start_monotonic_ns < before && is_its(import.slot))
      sum = model::saturated_sum(sum, model::to_signed(import.total_ns));
  }
  return sum;
}

// Where much of the run is not its steps, which everything else is about: how much, and when. Empty: it is not.
std::string time_outside(const Subject& subject, const StepTable& table) {
  const model::Process& process = subject.run.processes[table.process];
  const std::vector<model::Step>& records = table.steps->records;
  if (records.empty() || !process.window.empty()) return {};
  const std::int64_t before = ns_between(process.start_monotonic_ns, records.front().begin_monotonic_ns);
  const std::int64_t after = ns_between(records.back().end_monotonic_ns, process.end_monotonic_ns);
  // Neighbours stand in one record, with what lies between them.
  std::int64_t between = ns_between(records.front().begin_monotonic_ns, records.back().end_monotonic_ns);
  for (const model::Step& step : records)
    between = std::max<std::int64_t>(0, model::saturated_difference(between, step.ns));
  if (table.steps->dropped > 0) between = 0;
  const std::int64_t outside = model::saturated_sum(model::saturated_sum(before, after), between);
  if (outside < kLeastOutsideNs || real(outside) < kOutside * real(process.wall_ns())) return {};
  const std::int64_t imported = std::min(before, imports_ns(process, *table.steps, records.front().begin_monotonic_ns));
  std::string out = fmt::format("{} passed before the first step", duration(real(before)));
  if (real(imported) >= kLittle * real(before)) out += fmt::format(" ({} in imports)", duration(real(imported)));
  for (const auto& [ns, where] : {std::pair(between, "between steps"), std::pair(after, "after the last")}) {
    if (real(ns) >= kLittle * real(process.wall_ns())) out += fmt::format(", {} {}", duration(real(ns)), where);
  }
  return out + '.';
}

}  // namespace

std::string outlier_cause(const Outlier& outlier) {
  const std::string part = fold::to_string(outlier.part);
  return outlier.waited
             ? fmt::format("{} (waiting: {})", part, log::kWaitClassNames[static_cast<std::size_t>(*outlier.waited)])
             : part;
}

std::string step_parts(const StepTable& table) {
  std::vector<std::pair<double, std::string>> parts;
  for (std::uint32_t i = 0; i < log::kStepParts; ++i) {
    const auto part = static_cast<log::StepPart>(i);
    if (table.part(part) >= kLittle) parts.emplace_back(table.part(part), fold::to_string(part));
  }
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> out;
  for (const auto& [share, name] : parts) out.push_back(fmt::format("{} {} %", name, percent(share, 1)));
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string step_times(const StepTable& table) {
  std::string out = grouped(table.count);
  if (table.warmup > 0) {
    out += table.warmup == 1 ? ", the first of them to warm up, then"
                             : fmt::format(", the first {} of them to warm up, then", grouped(table.warmup));
  } else {
    out += ", with";
  }
  return out + fmt::format(" a median of {} ({} to {})", duration(table.median_ns), duration(real(table.shortest_ns)),
                           duration(real(table.longest_ns)));
}

std::vector<std::string> step_oddities(const StepTable& table) {
  std::vector<std::string> out;
  if (!table.outliers.empty()) out.push_back(slow_steps(table));
  if (table.trend && std::abs(*table.trend) >= kChange) {
    // What other programs took of the processors, and gave back.
    const bool unseen = table.trend_seen / *table.trend < kSeen;
    if (!unseen || *table.trend > 0) {
      out.push_back(fmt::format("Steps at the end take {} % {} than at the beginning{}",
                                percent(std::abs(*table.trend), 1), *table.trend > 0 ? "longer" : "less",
                                unseen ? ", most of that without a processor" : ""));
    }
  }
  return out;
}

std::string step_source(const model::Steps& steps) {
  const std::string name = steps.name.empty() ? "what has no name" : steps.name;
  switch (steps.source) {
    case log::StepSource::Asked:
      return name + ", as PROF_STEP asks";
    case log::StepSource::Profiler:
      return name + ", the program's own schedule";
    case log::StepSource::Optimizer:
      return name + ", from the end of one to that of the next";
    case log::StepSource::Range:
      return name + ", the outermost range that repeats";
    case log::StepSource::None:
      break;
  }
  return name;
}

std::vector<std::string> step_sentences(const Subject& subject) {
  const std::vector<StepTable> tables = fold::step_tables(subject.run, subject.selection);
  if (tables.empty() || tables.front().steady == 0) return {};
  const StepTable& table = tables.front();
  std::string whose;
  if (tables.size() > 1) {
    whose = fmt::format("{} processes; pid {}: ", tables.size(), subject.run.processes[table.process].pid);
  }
  std::vector<std::string> out = {fmt::format("{}{}; {}; --view steps.", whose, step_times(table), step_parts(table))};
  for (const std::string& oddity : step_oddities(table)) out.push_back(oddity + '.');
  if (std::string outside = time_outside(subject, table); !outside.empty()) out.push_back(std::move(outside));
  return out;
}

}  // namespace prof::show
