#include "report/findings/rules/shared/command_shape.hpp"

#include <algorithm>
#include <map>

namespace prof::findings {
namespace command_shape {
namespace {

using Group = std::vector<const CommandWords*>;

// The largest group of those whose first words, `length` of them, are the same.
Group largest_group(const std::vector<CommandWords>& commands, std::size_t length) {
  std::map<CommandWords, Group> groups;
  for (const CommandWords& words : commands) {
    if (words.size() >= length)
      groups[{words.begin(), words.begin() + static_cast<std::ptrdiff_t>(length)}].push_back(&words);
  }
  Group out;
  for (auto& [start, group] : groups) {
    if (group.size() > out.size()) out = std::move(group);
  }
  return out;
}

void put_differing(CommandWords& to) {
  if (to.empty() || to.back() != "...") to.emplace_back("...");
}

CommandWords shared_words(const Group& group) {
  const CommandWords& first = *group.front();
  std::size_t shortest = first.size();
  bool as_long = true;
  for (const CommandWords* words : group) {
    shortest = std::min(shortest, words->size());
    as_long &= words->size() == first.size();
  }
  CommandWords out;
  for (std::size_t i = 0; i < shortest; ++i) {
    if (std::all_of(group.begin(), group.end(), [&](const CommandWords* words) { return (*words)[i] == first[i]; }))
      out.push_back(first[i]);
    else
      put_differing(out);
    // Behind a word that differs, those at one place are of one kind only where there are as many.
    if (!as_long && out.back() == "...") break;
  }
  if (!as_long) put_differing(out);
  return out;
}

}  // namespace
}  // namespace command_shape

std::optional<CommandShape> commonest_shape(const std::vector<CommandWords>& commands, std::size_t enough) {
  for (const std::size_t length : {2U, 1U}) {
    const command_shape::Group group = command_shape::largest_group(commands, length);
    if (!group.empty() && group.size() >= enough) return CommandShape{command_shape::shared_words(group), group.size()};
  }
  return std::nullopt;
}

}  // namespace prof::findings
