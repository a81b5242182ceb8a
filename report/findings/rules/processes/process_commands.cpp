#include "report/findings/rules/processes/process_commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "report/findings/rules/processes/script_lines.hpp"
#include "report/findings/rules/shared/shell_lines.hpp"
#include "report/findings/thresholds.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {

std::set<std::uint32_t> all_below(const std::map<std::uint32_t, Whole>& all, const Whole& parent) {
  std::vector<std::uint32_t> below = parent.children;
  std::set<std::uint32_t> seen;
  while (!below.empty()) {
    const std::uint32_t pid = below.back();
    below.pop_back();
    if (!seen.insert(pid).second) continue;
    const Whole& whole = all.at(pid);
    below.insert(below.end(), whole.children.begin(), whole.children.end());
  }
  return seen;
}

std::vector<CommandShape> most_often(const Evidence& evidence, const std::map<std::uint32_t, Whole>& all,
                                     const Whole& parent) {
  std::vector<CommandWords> commands;
  std::map<CommandWords, std::size_t> counts;
  const std::string own = program_of(evidence, parent);
  for (const std::uint32_t pid : all_below(all, parent)) {
    if (program_of(evidence, all.at(pid)) == own) continue;
    commands.push_back(command_words_of(evidence, all.at(pid)));
    ++counts[commands.back()];
  }
  std::vector<CommandShape> out;
  for (const auto& [words, count] : counts) {
    if (count >= static_cast<std::size_t>(kManyProcesses)) out.push_back({words, count});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const CommandShape& a, const CommandShape& b) { return a.count > b.count; });
  constexpr std::size_t kMost = 3;
  if (out.size() > kMost) out.resize(kMost);
  if (!out.empty()) return out;
  if (auto shape = commonest_shape(commands, kManyProcesses)) return {*shape};
  if (!commands.empty()) out.push_back({commands.front(), 1});
  return out;
}

std::vector<CommandShape> longest_in_all(const Evidence& evidence, const std::map<std::uint32_t, Whole>& all,
                                         const Whole& parent) {
  constexpr std::size_t kFew = 10, kMost = 3;
  struct Group {
    std::int64_t life_ns = 0;
    std::vector<CommandWords> commands;
  };
  std::map<CommandWords, Group> groups;
  const std::string own = program_of(evidence, parent);
  for (const std::uint32_t pid : all_below(all, parent)) {
    const Whole& one = all.at(pid);
    if (program_of(evidence, one) == own) continue;
    CommandWords words = command_words_of(evidence, one);
    Group& group =
        groups[{words.begin(), words.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, words.size()))}];
    group.life_ns = model::saturated_sum(group.life_ns, one.life_ns());
    group.commands.push_back(std::move(words));
  }
  std::vector<const Group*> sorted;
  for (const auto& [start, group] : groups) {
    if (group.commands.size() >= kFew) sorted.push_back(&group);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Group* a, const Group* b) { return a->life_ns > b->life_ns; });
  std::vector<CommandShape> out;
  for (const Group* group : sorted) {
    if (group->life_ns < sorted.front()->life_ns / 10) break;
    if (auto shape = commonest_shape(group->commands, 1); shape && out.size() < kMost) out.push_back(std::move(*shape));
  }
  return out;
}

std::string commands_text(const std::vector<CommandShape>& commands) {
  if (commands.empty()) return {};
  if (commands.front().count == 1) return fmt::format(" One of them: {}.", command_text(commands.front().words));
  std::vector<std::string> parts;
  for (const CommandShape& one : commands)
    parts.push_back(
        fmt::format("{} ({} times)", command_text(one.words), show::grouped(static_cast<std::int64_t>(one.count))));
  return fmt::format(" Most often: {}.", fmt::join(parts, ", "));
}

void name_lines(Finding& finding, const Evidence& evidence, const Whole& parent,
                const std::vector<CommandShape>& commands) {
  if (const std::vector<ShellLine> lines = lines_to_name(evidence, parent); !lines.empty()) {
    finding.places.clear();
    for (const ShellLine& line : lines) finding.places.push_back(line.place);
    return;
  }
  if (!waited_lines(evidence, parent).empty()) return;
  std::vector<CommandWords> words;
  for (const CommandShape& one : commands) words.push_back(one.words);
  for (Place& place : script_places(evidence, evidence.run().processes[parent.last_image], words))
    finding.places.push_back(std::move(place));
}

}  // namespace prof::findings
