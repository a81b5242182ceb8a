// The commands that a process runs again and again.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "report/findings/finding.hpp"
#include "report/findings/rules/shared/command_shape.hpp"
#include "report/findings/rules/shared/process_tree.hpp"

namespace prof::findings {

// All processes that came of one, by pid, but for itself.
std::set<std::uint32_t> all_below(const std::map<std::uint32_t, Whole>& all, const Whole& parent);

// The commands that were run most often below it, at most three; where each has words of its own, what they have in
// common; one of them where that is nothing.
std::vector<CommandShape> most_often(const Evidence& evidence, const std::map<std::uint32_t, Whole>& all,
                                     const Whole& parent);

// Commands below it that lived longest together, by program and first word, at most three: what they have in common.
// Those that were started only a few times, or that lived for less than a tenth of the first ones, are left out.
std::vector<CommandShape> longest_in_all(const Evidence& evidence, const std::map<std::uint32_t, Whole>& all,
                                         const Whole& parent);

// " Most often: cut -d, -f2 (440 times).": what to look for in a script; empty of none.
std::string commands_text(const std::vector<CommandShape>& commands);

// Names the lines of its script that waited for such commands; where the shell did not say its lines, those that may
// run them by the source, behind the other places.
void name_lines(Finding& finding, const Evidence& evidence, const Whole& parent,
                const std::vector<CommandShape>& commands);

}  // namespace prof::findings
