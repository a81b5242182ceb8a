// A script of a shell that makes its array anew for each element: a=("${a[@]}" "$x").
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace shell_arrays {
namespace {

// Whether an array is set to its own elements with others, or to a part of them. Not to what a command makes of them.
bool makes_anew(std::string_view code) {
  for (std::size_t at = code.find("=("); at != std::string_view::npos; at = code.find("=(", at + 1)) {
    const std::string name(name_before(code, at));
    if (name.empty()) continue;
    const std::string_view elements = code.substr(at + 2);
    const std::size_t own = std::min(elements.find("${" + name + "[@]"), elements.find("${" + name + "[*]"));
    if (own != std::string_view::npos && elements.substr(0, own).find("$(") == std::string_view::npos) return true;
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

std::vector<Finding> look(const Evidence& evidence) {
  symbols::SourceFiles files(evidence.run());
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
  if (cpu.share() < kActivity || cpu.ns < kLeastActivityNs) return {};
  Finding finding;
  finding.rule = kShellArraysRule.name;
  finding.title = "An array of a script is made anew for each element";
  finding.seen = fmt::format("{}, went by in that: each time all elements are written out and read again.",
                             cpu_words(evidence, cpu));
  finding.advice =
      "Add to it: a+=(\"$x\"). To take from its front, count an index up and read ${a[i]}; or read the lines of a file "
      "in place of a queue.";
  finding.places = cpu.places;
  could_save(finding, evidence, cpu);
  return {finding};
}

}  // namespace
}  // namespace shell_arrays

const Rule kShellArraysRule{"shell-arrays", "arrays of a script that are made anew", shell_arrays::cannot,
                            shell_arrays::look};

}  // namespace prof::findings
