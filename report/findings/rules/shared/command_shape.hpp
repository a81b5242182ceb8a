// What many commands have in common, each of which has words of its own: "git log -1 ... -- ...".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace prof::findings {

// A command, word by word, the program first.
using CommandWords = std::vector<std::string>;

// Commands of one shape, and how many there were.
struct CommandShape {
  CommandWords words;  // "..." for one or several that differ
  std::size_t count = 0;
};

// The shape of most of these: of those with the same program and the same first word behind it, as "git log" is, where
// these are `enough`, else of those with the same program. Nothing where no program has as many.
std::optional<CommandShape> commonest_shape(const std::vector<CommandWords>& commands, std::size_t enough);

}  // namespace prof::findings
