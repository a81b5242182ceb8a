// Keys of sets and dicts are compared again and again, because many of them have the same hash.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/own_chains.hpp"
#include "report/findings/rules/shared/poor_hashes.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace equal_hashes {
namespace {

// A method of the user's own, by the last part of its name.
bool is_method(const Evidence& evidence, std::uint32_t node, std::string_view name) {
  const symbols::Function& function = evidence.lines().function(node);
  return function.language == symbols::Language::Python && last_part(function.name) == name &&
         evidence.own().function(evidence.lines().function_id(node));
}

constexpr double kComparingLine = 0.15;
constexpr std::size_t kPlaces = 3;

bool in_table(const std::string& activity) { return activity == "sets" || activity == "dictionaries"; }

std::vector<Finding> look_for_methods(const Evidence& evidence) {
  const auto& nodes = evidence.lines().nodes();
  const auto& self = evidence.lines().self();
  // By node, whether it is below __eq__ or __hash__.
  std::vector<bool> compares(nodes.size()), hashes(nodes.size());
  // Own lines that look up, by location: what they called __eq__ for, and what they took without that.
  struct Line {
    std::int64_t comparing_ns = 0, own_ns = 0;
  };
  std::map<std::uint32_t, Line> lines;
  TimeByPlace hash_lines(evidence);
  std::vector<std::uint32_t> compared_by(nodes.size());  // by node below __eq__: such a line
  std::int64_t comparing = 0, hashing = 0;
  for (const std::uint32_t node : evidence.timed()) {
    const std::uint32_t parent = nodes[node].parent;
    const bool begins = is_method(evidence, node, "__eq__");
    compares[node] = compares[parent] || begins;
    const bool is_hash = is_method(evidence, node, "__hash__");
    hashes[node] = hashes[parent] || is_hash;
    if (is_hash) hash_lines.add(node, std::max<std::int64_t>(self.cpu[node].ns, 1));
    compared_by[node] =
        begins && parent != 0 && !compares[parent] ? evidence.own_location(parent) : compared_by[parent];
    Line& line = lines[compares[node] ? compared_by[node] : evidence.own_location(node)];
    std::int64_t& of_line = compares[node] ? line.comparing_ns : line.own_ns;
    of_line = model::saturated_sum(of_line, self.cpu[node].ns);
    if (compares[node]) comparing = model::saturated_sum(comparing, self.cpu[node].ns);
    if (hashes[node]) hashing = model::saturated_sum(hashing, self.cpu[node].ns);
  }
  if (comparing < 2 * hashing) return {};
  // With what sets and dicts themselves take at the lines that look up, and what the interpreter does there without a
  // name, where much of the line is comparing.
  const auto is = [&](std::uint32_t node) {
    if (compares[node]) return true;
    const Line& line = lines[evidence.own_location(node)];
    const std::string& doing = evidence.activity_name(node);
    if (doing == fold::kUnnamedActivity) return real(line.comparing_ns) >= kComparingLine * real(line.own_ns);
    return in_table(doing) && line.comparing_ns > 0;
  };
  const CpuAt cpu = cpu_at(evidence, is);
  const CpuAt in_eq = cpu_at(evidence, [&](std::uint32_t node) { return compares[node]; });
  // Comparing alone is what sorting and searching do as well, and one comparison of large keys.
  if (cpu.share() < kActivity || cpu.ns < kLeastActivityNs || cpu.ns < 2 * in_eq.ns) return {};
  if (in_eq.share() < kActivity / 2) return {};
  Finding finding;
  finding.rule = kEqualHashesRule.name;
  finding.title = "Keys of a set or dict are compared again and again: many have the same hash";
  finding.seen = fmt::format("{}, went by in look-ups and in __eq__, {} in __hash__.", cpu_words(evidence, cpu),
                             show::duration(static_cast<double>(hashing)));
  finding.advice =
      "Let __hash__ use all that __eq__ compares: hash((self.x, self.y)); a tuple, a NamedTuple or a frozen dataclass "
      "has both.";
  // What is to be changed, where a sample has seen it, what shows it, and who looks up.
  const std::vector<Place> to_change = hash_lines.top();
  for (const std::vector<Place>* places : {&to_change, &in_eq.places, &cpu.places}) {
    std::size_t taken = 0;
    for (const Place& place : *places) {
      const bool is_new = std::find(finding.places.begin(), finding.places.end(), place) == finding.places.end();
      if (is_new && finding.places.size() < kPlaces && taken++ == 0) finding.places.push_back(place);
    }
  }
  for (const Place& place : in_eq.places) {
    const bool is_new = std::find(finding.places.begin(), finding.places.end(), place) == finding.places.end();
    if (is_new && finding.places.size() < kPlaces) finding.places.push_back(place);
  }
  could_save(finding, evidence, cpu);
  return {finding};
}

std::vector<Finding> look(const Evidence& evidence) {
  std::vector<Finding> found = look_for_methods(evidence);
  if (found.empty()) found = look_for_poor_hashes(evidence);
  return found.empty() ? look_for_own_chains(evidence) : found;
}

// C++ has names for its tables.
const char* cannot(const Evidence& evidence) { return evidence.own().any() ? nullptr : no_python_frames(evidence); }

}  // namespace
}  // namespace equal_hashes

const Rule kEqualHashesRule{"equal-hashes", "keys with the same hash", equal_hashes::cannot, equal_hashes::look};

}  // namespace prof::findings
