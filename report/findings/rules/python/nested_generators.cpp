// A generator that calls itself hands each item up through all of its levels.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace nested_generators {
namespace {

// Whether the code calls a function or method of that name.
bool calls(std::string_view code, std::string_view name) {
  const std::size_t at = find_word(code, name);
  return at != std::string_view::npos && code.substr(at + name.size()).starts_with("(");
}

// Whether line `number` hands on what another call of the function that it is in gives: "yield from child.walk()", or
// the head of "for item in child.walk(): yield item".
bool hands_on(const Lines& lines, std::size_t number, std::string_view function) {
  if (number == 0 || number > lines.size()) return false;
  const std::string_view line = code_of(lines[number - 1], "#");
  const std::size_t indent = indent_of(line);
  const std::string_view code = line.substr(indent);
  if (code.starts_with("yield from ")) return calls(code, function);
  if (!code.starts_with("for ") || !calls(code, function)) return false;
  for (std::size_t i = number; i < lines.size(); ++i) {
    const std::string_view next = code_of(lines[i], "#");
    const std::size_t its = indent_of(next);
    if (its == next.size()) continue;
    return its > indent && next.substr(its).starts_with("yield ");
  }
  return false;
}

class Levels {
 public:
  explicit Levels(const Evidence& evidence) : evidence_(evidence), files_(evidence.sources()) {}

  // How many calls of the function stand in each other at the node, where its innermost own line hands on what such a
  // call gives; 0: it does not.
  std::int64_t at(std::uint32_t node) {
    const std::uint32_t location = evidence_.own_location(node);
    if (location == 0 || !handing(location)) return 0;
    const std::uint32_t function = evidence_.symbols().location(location).function;
    std::int64_t depth = 0;
    for (; node != 0; node = evidence_.lines().nodes()[node].parent)
      depth += evidence_.lines().function_id(node) == function;
    return depth;
  }

 private:
  bool handing(std::uint32_t location) {
    const auto [found, is_new] = known_.try_emplace(location, false);
    if (is_new) {
      const symbols::Function& function = evidence_.symbols().function(evidence_.symbols().location(location).function);
      const Place place = place_of(evidence_.symbols(), location);
      found->second =
          function.language == symbols::Language::Python && place.line > 0 &&
          hands_on(files_.file(place.file).lines, static_cast<std::size_t>(place.line), last_part(function.name));
    }
    return found->second;
  }

  const Evidence& evidence_;
  symbols::SourceFiles& files_;
  std::map<std::uint32_t, bool> known_;  // by location
};

std::vector<Finding> look(const Evidence& evidence) {
  Levels levels(evidence);
  double depths = 0, times = 0;  // by time
  CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) {
    // What else the line calls, as a copy that it hands down, is no handing on.
    const std::string& doing = evidence.activity_name(node);
    if (!doing.empty() && doing != "own code" && doing != fold::kUnnamedActivity) return false;
    const std::int64_t depth = levels.at(node);
    if (depth == 0) return false;
    const auto ns = static_cast<double>(evidence.lines().self().cpu[node].ns);
    depths += static_cast<double>(depth) * ns;
    times += ns;
    return true;
  });
  if (times <= 0 || cpu.places.empty()) return {};
  const double depth = depths / times;
  if (depth < kManyLevels || cpu.share() < kActivity || cpu.ns < kLeastActivityNs) return {};
  cpu.take(1 - 1 / depth);  // each item is made once in any case
  Finding finding;
  finding.rule = kNestedGeneratorsRule.name;
  finding.title = "A generator that calls itself hands each item up through all of its levels";
  finding.seen = fmt::format("{}, on average at a depth of {} calls.", cpu_words(evidence, cpu),
                             show::grouped(whole_number(depth)));
  finding.advice =
      "Keep what is to be visited in a list of its own (stack.pop(), stack.extend(children)) in one generator, or hand "
      "down a list or function that takes the items.";
  finding.places = cpu.places;
  could_save(finding, evidence, cpu);
  return {finding};
}

}  // namespace
}  // namespace nested_generators

const Rule kNestedGeneratorsRule{"nested-generators", "generators that hand items through many levels",
                                 no_python_frames, nested_generators::look};

}  // namespace prof::findings
