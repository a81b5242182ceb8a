// Arrays of JavaScript that lose or get their first elements: V8 moves all others for each of them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
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
                                        "Builtins_ArrayPrototypeShift", "Builtins_ArrayPrototypeUnshift"};
constexpr std::string_view kSplices[] = {"Builtins_ArrayPrototypeSplice"};

template <const auto& names>
bool is_one(const symbols::Function& function) {
  return function.language == symbols::Language::Native && begins_with_any(function.name, names);
}

// Whether the line loads code that is no part of Node: what does the work may stand there.
bool loads_other_code(std::string_view code) {
  constexpr std::string_view kOfNode[] = {
      "assert", "buffer", "child_process", "crypto", "events", "fs",  "http",           "https",      "net",
      "os",     "path",   "stream",        "util",   "zlib",   "url", "worker_threads", "perf_hooks", "readline"};
  std::size_t at = code.find("require(");
  if (at == std::string_view::npos && (code.starts_with("import ") || contains(code, " from "))) at = 0;
  if (at == std::string_view::npos) return false;
  const std::size_t open = code.find_first_of("'\"", at);
  if (open == std::string_view::npos) return true;
  const std::string_view name = code.substr(open + 1, code.find(code[open], open + 1) - open - 1);
  const bool of_node = name.starts_with("node:") ||
                       std::find(std::begin(kOfNode), std::end(kOfNode), name) != std::end(kOfNode) ||
                       name.starts_with("fs/");
  return !of_node;
}

// The line of the program's script that does so, where there is just one and all of its code is there.
std::optional<Place> shifting_line(const Evidence& evidence, const model::Process& process, bool splices) {
  std::optional<Place> found;
  symbols::SourceFiles files(evidence.run());
  for (const std::string& script : scripts_of(evidence, process)) {
    const symbols::SourceFile& file = files.file(script);
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string_view code = code_of(file.lines[i], "//");
      if (loads_other_code(code)) return std::nullopt;
      if (splices ? !contains(code, ".splice(") : !contains(code, ".shift(") && !contains(code, ".unshift(")) continue;
      Place place{file.path.string(), static_cast<std::int64_t>(i + 1), {}};
      if (found && !(*found == place)) return std::nullopt;
      found = std::move(place);
    }
  }
  return found;
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
  const model::Process& process = evidence.run().processes[program->process];
  if (std::optional<Place> line = shifting_line(evidence, process, splices)) {
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
