#include "report/show/training/operator_step_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace prof::show {
namespace {

// "3, 7 to 9, 12"
std::string ranges_of(const std::set<std::int64_t>& numbers) {
  constexpr std::size_t kMost = 8;
  std::string out;
  std::size_t told = 0;
  for (auto first = numbers.begin(); first != numbers.end();) {
    auto last = first, behind = std::next(first);
    while (behind != numbers.end() && *behind - 1 == *last) last = behind++;
    if (told++ == kMost) return out + " and others";
    out += out.empty() ? "" : ", ";
    out += first == last ? fmt::format("{}", *first) : fmt::format("{} to {}", *first, *last);
    first = behind;
  }
  return out;
}

}  // namespace

std::vector<std::string> step_captions(const fold::Operators& ops, std::optional<std::int64_t> only) {
  if (!ops.traced)
    return {
        "No trace was recorded, from which operators are told by step: prof run --trace 64M --schedule "
        "wait=20,warmup=5,active=10 -- COMMAND records one of ten steps."};
  std::set<std::int64_t> numbers, parts;
  std::set<std::size_t> processes;
  for (const fold::OperatorStep& step : ops.steps) {
    numbers.insert(step.number);
    processes.insert(step.process);
    if (!step.whole && (!only || step.number == *only)) parts.insert(step.number);
  }
  if (numbers.empty())
    return {
        "The trace has no steps: none were found in the program, or none while it was recorded; --step names them."};
  if (only && numbers.count(*only) == 0)
    return {fmt::format("Step {} is not in the trace: that has {}.", *only, ranges_of(numbers))};
  std::vector<std::string> out;
  if (ops.rows.empty())
    out.emplace_back("No operator was seen in the trace.");
  else
    out.emplace_back(
        "Exact calls and wall time on the host, from the trace. An operator belongs to the step in which it began; "
        "-: outside of all steps. Percentages are of its step's self CPU time.");
  out.push_back(fmt::format("The trace has step{} {}{}.", numbers.size() == 1 ? "" : "s", ranges_of(numbers),
                            processes.size() > 1 ? fmt::format(", of {} processes", processes.size()) : ""));
  if (!parts.empty())
    out.push_back(fmt::format("Of step{} {} it has only a part: a larger --trace, or a --schedule, has all.",
                              parts.size() == 1 ? "" : "s", ranges_of(parts)));
  return out;
}

}  // namespace prof::show
