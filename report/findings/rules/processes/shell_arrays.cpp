// A script of a shell that makes its array anew for each element: a=("${a[@]}" "$x").
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace shell_arrays {
namespace {

// Whether what stands behind "${a[@" takes all elements as they are, or a part of them: not where each is changed ("/",
// "%", "#").
bool takes_elements(std::string_view behind) { return behind.starts_with(":") || behind.starts_with("}"); }

// Whether an array is set to its own elements with others, or to a part of them. Not to what a command makes of them,
// and not on a line with a loop of its own, which does other things, too.
bool makes_anew(std::string_view code) {
  constexpr std::size_t kLongestLine = 2'000;
  if (code.size() > kLongestLine || find_word(code, "done") != std::string_view::npos) return false;
  constexpr std::string_view kArguments = "set -- ", kAll = "\"$@\"";
  if (const std::size_t at = code.find(kArguments); at != std::string_view::npos) {
    const std::string_view given = code.substr(at + kArguments.size());
    const std::size_t own = given.find(kAll);
    if (own != std::string_view::npos && given.find("$(") == std::string_view::npos) return given.size() > kAll.size();
  }
  for (std::size_t at = code.find("=("); at != std::string_view::npos; at = code.find("=(", at + 1)) {
    const std::string name(name_before(code, at));
    if (name.empty()) continue;
    const std::string_view elements = code.substr(at + 2);
    const std::size_t own = std::min(elements.find("${" + name + "[@]"), elements.find("${" + name + "[*]"));
    if (own == std::string_view::npos) continue;
    const std::string_view before = elements.substr(0, own);
    if (before.find("$(") != std::string_view::npos) continue;
    return takes_elements(elements.substr(own + name.size() + 5));
  }
  return false;
}

bool is_script(const symbols::Function& function) { return function.language == symbols::Language::Shell; }

const char* cannot(const Evidence& evidence) {
  for (std::uint32_t node = 1; node < evidence.lines().nodes().size(); ++node) {
    if (is_script(evidence.lines().function(node))) return nullptr;
  }
  return "no shell said the lines of its script";
}

// Whether no line near it in the script takes about as long.
bool stands_out(const Evidence& evidence, const Place& line, std::int64_t ns) {
  constexpr std::int64_t kNear = 12;
  TimeByPlace sums(evidence);
  for (const std::uint32_t node : evidence.timed()) sums.add(node, evidence.lines().self().cpu[node].ns);
  const auto all = sums.sums();
  return std::none_of(all.begin(), all.end(), [&](const AtPlace<std::int64_t>& other) {
    return other.place && other.place->file == line.file && other.place->line != line.line &&
           std::abs(other.place->line - line.line) <= kNear && kLongArray * real(other.figures) > real(ns);
  });
}

std::vector<Finding> look(const Evidence& evidence) {
  symbols::SourceFiles& files = evidence.sources();
  std::map<std::uint32_t, bool> known;  // by location
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) {
    const std::uint32_t location = evidence.own_location(node);
    if (location == 0) return false;
    const auto [found, is_new] = known.try_emplace(location, false);
    if (is_new && is_script(evidence.symbols().function(evidence.symbols().location(location).function))) {
      const Place place = place_of(evidence.symbols(), location);
      const std::string line = files.line(place.file, static_cast<std::uint32_t>(place.line));
      found->second = makes_anew(code_of(line, "# "));
    }
    return found->second;
  });
  if (cpu.share() < kActivity || cpu.ns < kLeastActivityNs || cpu.places.empty()) return {};
  if (!stands_out(evidence, cpu.places.front(), cpu.ns)) return {};
  Finding finding;
  finding.rule = kShellArraysRule.name;
  finding.title = "An array of a script is made anew for each element";
  finding.seen = fmt::format("{}, went by in that: each time all elements are written out and read again.",
                             cpu_words(evidence, cpu));
  finding.advice =
      "Add to it: a+=(\"$x\"); take its last one away by unset 'a[-1]'. To take from its front, count an index up and "
      "read ${a[i]}.";
  finding.places = cpu.places;
  could_save(finding, evidence, cpu);
  return {finding};
}

}  // namespace
}  // namespace shell_arrays

const Rule kShellArraysRule{"shell-arrays", "arrays of a script that are made anew", shell_arrays::cannot,
                            shell_arrays::look};

}  // namespace prof::findings
