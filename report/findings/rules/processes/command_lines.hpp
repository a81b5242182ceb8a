// The line of a shell's script that ran a command.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/rules/shared/process_tree.hpp"
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

// The commands of a line, and how long they were at work or waited for a processor, all of them.
struct CommandsOfLine {
  CommandLine line;
  std::vector<const Whole*> commands;
  std::int64_t work_ns = 0;
  // The same while any of them lived: those that run at the same time are waited for once.
  std::int64_t waited_ns() const;
  // ", 3 times"; nothing where there is one command.
  std::string times() const;
};

// Of commands of that program that were at work for kLeastCommandNs or longer, and for which `is` holds, those of the
// line that has the most work.
std::optional<CommandsOfLine> busiest_line(
    const Evidence& evidence, const std::map<std::uint32_t, Whole>& all, const std::string& program,
    const std::function<bool(const CommandLine& line, const Whole& command)>& is);

}  // namespace prof::findings
