#include "report/findings/rules/memory/growth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/findings/keeper.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {

std::optional<double> step_seconds(const Evidence& evidence, std::size_t process) {
  for (const fold::StepTable& table : evidence.steps()) {
    if (table.process != process || table.steps == nullptr || table.steps->records.empty() || table.count <= 0)
      continue;
    const model::Step &first = table.steps->records.front(), &last = table.steps->records.back();
    if (last.end_monotonic_ns <= first.begin_monotonic_ns) continue;
    return static_cast<double>(last.end_monotonic_ns - first.begin_monotonic_ns) / 1e9 / real(table.count);
  }
  return std::nullopt;
}

std::string growth_rate(const Evidence& evidence, std::size_t process, const fold::Trend& trend) {
  const double per_s = trend.per_s, on_average = real(trend.grown) / trend.seconds;
  std::string text = fmt::format("{} a second", show::bytes(per_s));
  if (const auto seconds = step_seconds(evidence, process)) {
    text = fmt::format("{} a step ({})", show::bytes(per_s * *seconds), text);
  }
  const char* when = std::abs(per_s - on_average) > kAnotherRate * on_average ? "in the end " : "";
  return when + text + fmt::format(", {} in a day", show::bytes(per_s * kSecondsOfDay));
}

void name_keeper(const Evidence& evidence, Finding& finding, const char* more) {
  if (finding.places.empty()) return;
  std::optional<Keeper> keeper = keeper_beside(evidence, finding.places);
  if (!keeper) keeper = sharer_beside(evidence, finding.places);
  if (!keeper) return;
  std::erase_if(finding.places, [&](const Place& place) {
    return place.file == keeper->place.file && place.line == keeper->place.line && !(place == finding.places.front());
  });
  // The source says what can keep it, not that it does.
  finding.advice = fmt::format(
      "{}:{} may be what keeps it. {} Else see what only grows (a list, a map, a cache), or what is needed until the "
      "end.{}",
      base_name(keeper->place.file), keeper->place.line, keeper->how, more);
  const Place& first = finding.places.front();
  if (first.file != keeper->place.file || first.line != keeper->place.line)
    finding.places.insert(finding.places.begin() + 1, std::move(keeper->place));
}

// Resident memory has the allocator's own part, which what is live has not; of what nobody ever wrote to, as the end of
// a vector, it has nothing.
std::int64_t held_at_most(const model::Process& process, std::int64_t bytes) {
  std::int64_t heap = process.heap_peak_bytes;
  for (const model::SeriesPoint& point : process.series) heap = std::max(heap, point.heap_high);
  const std::int64_t live =
      model::saturated_sum(heap, model::saturated_sum(process.map_peak_bytes, process.python_peak_bytes));
  const std::int64_t resident = model::to_signed(process.peak_rss_bytes.value_or(0));
  return std::min(bytes, resident > 0 ? resident : live > 0 ? live : bytes);
}

}  // namespace prof::findings
