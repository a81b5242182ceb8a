// Arrays of JavaScript that lose or get their first elements: V8 moves all others for each of them.
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/findings/javascript.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/process_tree.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace array_shifts {
namespace {

// Of Node 12 to 22. Short arrays are cut at their front, which takes no time to speak of.
constexpr std::string_view kShifts[] = {"v8::internal::Builtin_ArrayShift", "v8::internal::Builtin_ArrayUnshift",
                                        "Builtins_ArrayPrototypeShift", "Builtins_ArrayPrototypeUnshift",
                                        "Builtins_ArrayPrototypeSplice"};

bool shifts(const symbols::Function& function) {
  return function.language == symbols::Language::Native && begins_with_any(function.name, kShifts);
}

// The line of the program's scripts that does so, where there is just one.
std::optional<Place> shifting_line(const Evidence& evidence, const model::Process& process) {
  std::optional<Place> found;
  symbols::SourceFiles files(evidence.run());
  for (const std::string& script : scripts_of(evidence, process)) {
    const symbols::SourceFile& file = files.file(script);
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string_view code = code_of(file.lines[i], "//");
      if (!contains(code, ".shift(") && !contains(code, ".unshift(") && !contains(code, ".splice(")) continue;
      Place place{file.path.string(), static_cast<std::int64_t>(i + 1), {}};
      if (found && !(*found == place)) return std::nullopt;
      found = std::move(place);
    }
  }
  return found;
}

const char* cannot(const Evidence& evidence) { return any_javascript(evidence) ? nullptr : "no JavaScript was seen"; }

std::vector<Finding> look(const Evidence& evidence) {
  const std::vector<bool> nodes = all_below(evidence.lines(), shifts);
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) { return nodes[node]; });
  if (cpu.share() < kActivity || !is_enough(cpu)) return {};
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return {};
  Finding finding;
  finding.rule = kArrayShiftsRule.name;
  finding.title = "Long arrays are shifted again and again";
  finding.seen =
      fmt::format("{}, went by in moving what stands behind (shift, unshift, splice).", cpu_words(evidence, cpu));
  finding.advice =
      "Keep the position of the first one and cut the array now and then (queue[head++]), go through it with for...of, "
      "or take from the end with pop() where the order does not matter.";
  finding.places = cpu.places;
  const model::Process& process = evidence.run().processes[program->process];
  if (std::optional<Place> line = shifting_line(evidence, process)) {
    finding.places.insert(finding.places.begin(), *std::move(line));
  } else if (finding.places.empty()) {
    if (names_javascript(process)) return {};
    Whole whole;
    whole.last_image = program->process;
    finding.places = {place_of_command(evidence, whole)};
    finding.advice = "Record with --js on: then lines have names. " + finding.advice;
  }
  could_save(finding, evidence, cpu);
  return {finding};
}

}  // namespace
}  // namespace array_shifts

const Rule kArrayShiftsRule{"array-shifts", "arrays of JavaScript that are shifted", array_shifts::cannot,
                            array_shifts::look};

}  // namespace prof::findings
