#include "report/findings/rules/shared/native_family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "report/findings/below_own.hpp"
#include "report/findings/made_members.hpp"
#include "report/findings/program_time.hpp"

namespace prof::findings {
namespace {

IsNode begins_with(Names names, bool (*spared)(const symbols::Function&) = nullptr) {
  return [names, spared](const symbols::Function& function) {
    if (function.language != symbols::Language::Native || (spared != nullptr && spared(function))) return false;
    const std::string_view name = function.short_name.empty() ? function.name : function.short_name;
    return std::any_of(names.begin(), names.end(), [&](std::string_view begin) { return name.starts_with(begin); });
  };
}

// By own line: CPU time in the nodes that `in` holds, and in those that `of` holds; all of its nodes if that is empty.
using LineSums = std::map<std::uint32_t, std::pair<std::int64_t, std::int64_t>>;
LineSums sums_by_line(const Evidence& evidence, const std::vector<bool>& in, const std::vector<bool>& of) {
  LineSums out;
  for (const std::uint32_t node : evidence.timed()) {
    if (!of.empty() && !of[node]) continue;
    const std::int64_t ns = evidence.lines().self().cpu[node].ns;
    auto& [part, all] = out[evidence.own_location(node)];
    all = model::saturated_sum(all, ns);
    if (in[node]) part = model::saturated_sum(part, ns);
  }
  return out;
}

// Where it takes most of a line's time, all of the line is meant: what it is given is made for it alone.
std::vector<bool> with_rest_of_lines(const Evidence& evidence, std::vector<bool> is) {
  const LineSums by_line = sums_by_line(evidence, is, {});
  for (const std::uint32_t node : evidence.timed()) {
    const std::uint32_t location = evidence.own_location(node);
    const auto& [part, all] = by_line.at(location);
    if (location != 0 && static_cast<double>(part) >= kMostOfALine * static_cast<double>(all)) is[node] = true;
  }
  return is;
}

bool is_python(const symbols::Function& function) { return function.language == symbols::Language::Python; }

// Where such functions stand, as the family wants to have them called.
std::vector<bool> called(const Evidence& evidence, const Family& family, const IsNode& is) {
  std::vector<bool> out = below_own(evidence, is);
  if (family.needed_by != nullptr) {
    const std::vector<bool> needed = below_own(evidence, family.needed_by, is);
    for (const std::uint32_t node : evidence.timed()) out[node] = out[node] && !needed[node];
  }
  if (!family.by_own_line) return out;
  const std::vector<bool> by_library = below_own(evidence, is_python, is);
  for (const std::uint32_t node : evidence.timed()) out[node] = out[node] && !by_library[node];
  return out;
}

std::vector<bool> nodes_of(const Evidence& evidence, const Family& family) {
  const IsNode is = begins_with(family.functions, family.spared);
  const IsNode library = [&](const symbols::Function& f) { return f.module.find(family.below) != std::string::npos; };
  if (family.inside.empty() && family.below.empty()) return with_rest_of_lines(evidence, called(evidence, family, is));
  // All that the library or such a function took at a line, where what it called for it is much of that.
  const bool of_library = !family.below.empty();
  std::vector<bool> whole = called(evidence, family, of_library ? library : is);
  const std::vector<bool> inside =
      below_own(evidence, of_library ? library : is, of_library ? is : begins_with(family.inside));
  const LineSums by_line = sums_by_line(evidence, inside, whole);
  // Of two lines that do the same, samples may have one above the threshold and one below: those near it are judged
  // together.
  const auto is_much = [](const std::pair<std::int64_t, std::int64_t>& line, double least) {
    return static_cast<double>(line.first) > least * static_cast<double>(line.second);
  };
  std::pair<std::int64_t, std::int64_t> together;
  for (const auto& [location, line] : by_line) {
    if (!is_much(line, kMuchOfALine / 2)) continue;
    together.first = model::saturated_sum(together.first, line.first);
    together.second = model::saturated_sum(together.second, line.second);
  }
  const double least = is_much(together, kMuchOfALine) ? kMuchOfALine / 2 : kMuchOfALine;
  for (const std::uint32_t node : evidence.timed()) {
    if (!whole[node]) continue;
    whole[node] = is_much(by_line.at(evidence.own_location(node)), least);
  }
  return whole;
}

}  // namespace

std::vector<Finding> look_for(const Evidence& evidence, const Family& family) {
  const std::vector<bool> is = nodes_of(evidence, family);
  return tell_of(evidence, family, cpu_at(evidence, [&](std::uint32_t node) { return is[node]; }));
}

std::vector<Finding> tell_of(const Evidence& evidence, const Family& family, const CpuAt& cpu) {
  if (cpu.share() < family.least || !is_enough(cpu) || cpu.places.empty()) return {};
  Finding finding;
  finding.rule = family.rule;
  finding.title = family.title;
  finding.seen = fmt::format("{}.", cpu_words(evidence, cpu));
  finding.advice = family.advice;
  finding.places = cpu.places;
  name_callers_of_made(evidence, finding.places);
  could_save(finding, evidence, cpu);
  return {finding};
}

const char* no_own_code(const Evidence& evidence) {
  return evidence.own().any() ? nullptr : "no code of your own was seen";
}

}  // namespace prof::findings
