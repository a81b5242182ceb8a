// The line of a shell's script that ran a command.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "report/findings/evidence.hpp"
#include "report/findings/rules/process_tree.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {

struct CommandLine {
  Place place;
  std::string code;  // its text, without a comment
};

// The line that has the command's program in its text, of those at which a shell above it waited; of shells that do not
// say their lines, by the source, where there is just one.
std::optional<CommandLine> line_of_command(const Evidence& evidence, symbols::SourceFiles& files,
                                           const std::map<std::uint32_t, Whole>& all, const Whole& command);

}  // namespace prof::findings
