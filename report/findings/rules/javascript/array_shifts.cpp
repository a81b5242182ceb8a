// Arrays of JavaScript that lose or get their first elements: V8 moves all others for each of them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "report/findings/javascript.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/javascript_place.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"

namespace prof::findings {
namespace array_shifts {
namespace {

// Of Node 12 to 22. Short arrays are cut at their front, which takes no time to speak of.
constexpr std::string_view kShifts[] = {"v8::internal::Builtin_ArrayShift", "v8::internal::Builtin_ArrayUnshift",
                                        "Builtins_ArrayPrototypeShift", "Builtins_ArrayPrototypeUnshift"};
constexpr std::string_view kSplices[] = {"Builtins_ArrayPrototypeSplice"};

template <const auto& names>
bool is_one(const symbols::Function& function) {
  return function.language == symbols::Language::Native && begins_with_any(function.name, names);
}

const char* cannot(const Evidence& evidence) { return any_javascript(evidence) ? nullptr : "no JavaScript was seen"; }

std::vector<Finding> look(const Evidence& evidence) {
  const std::vector<bool> shifted = all_below(evidence.lines(), is_one<kShifts>),
                          spliced = all_below(evidence.lines(), is_one<kSplices>);
  std::int64_t spliced_ns = 0;
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) {
    if (spliced[node]) spliced_ns = model::saturated_sum(spliced_ns, evidence.lines().self().cpu[node].ns);
    return shifted[node] || spliced[node];
  });
  if (cpu.share() < kActivity || !is_enough(cpu)) return {};
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return {};
  Finding finding;
  finding.rule = kArrayShiftsRule.name;
  const bool splices = spliced_ns > cpu.ns / 2;
  finding.title = splices ? "Long arrays are spliced again and again" : "Long arrays are shifted again and again";
  finding.seen = fmt::format("{}, went by in moving what stands behind ({}).", cpu_words(evidence, cpu),
                             splices ? "splice" : "shift, unshift");
  finding.advice =
      splices ? "What is to be in order is sorted once in the end, or held by a heap or a tree; what is taken out is "
                "marked and filtered out now and then, or held in a Map or Set."
              : "Keep the position of the first one and cut the array now and then (queue[head++]), go through it with "
                "for...of, or take from the end with pop() where the order does not matter.";
  finding.places = cpu.places;
  const auto shifts = [splices](std::string_view code) {
    return splices ? contains(code, ".splice(") : contains(code, ".shift(") || contains(code, ".unshift(");
  };
  if (!name_line(finding, evidence, program->process, shifts)) return {};
  could_save(finding, evidence, cpu);
  return {finding};
}

}  // namespace
}  // namespace array_shifts

const Rule kArrayShiftsRule{"array-shifts", "arrays of JavaScript that are shifted", array_shifts::cannot,
                            array_shifts::look};

}  // namespace prof::findings
