// Lines of shell scripts, which nobody records: by the source, where a command stands that was run.
#pragma once

#include <string>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/rules/shared/command_shape.hpp"
#include "report/findings/source_words.hpp"

namespace prof::findings {

// Whether the program, with or without its folder, is a shell.
bool is_shell(const std::string& program);

// The file that a shell was started with: "build.sh" of bash -e build.sh; empty: it is no shell, or has none.
std::string script_of(const std::vector<std::string>& argv);

// The lines of loops and functions, from 1, in which most words of the command stand, its program among them; none
// where there are more than three of them, since it is one of many then.
std::vector<std::size_t> lines_with(const Lines& script, const CommandWords& command);

// Such lines of the script that the process runs, of each command, at most two in all.
std::vector<Place> script_places(const Evidence& evidence, const model::Process& shell,
                                 const std::vector<CommandWords>& commands);

}  // namespace prof::findings
