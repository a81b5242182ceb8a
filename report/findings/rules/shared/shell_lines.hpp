// Lines of a shell's script, where the shell said which line it was at.
#pragma once

#include <cstdint>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"
#include "report/findings/rules/shared/process_tree.hpp"

namespace prof::findings {

struct ShellLine {
  Place place;
  std::int64_t blocked_ns = 0;  // its main thread, by children and at pipes
  std::int64_t cpu_ns = 0;      // of the shell's own, in making its children for the most part
  std::int64_t calls = 0;       // that waited so: two or three for each command
};

// Those of the process's script at which it waited, most first. None: it is no shell, or does not say.
std::vector<ShellLine> waited_lines(const Evidence& evidence, const Whole& shell);

// The line that ran commands again and again and waited most, and those that did so for half as long; three at most.
std::vector<ShellLine> lines_to_name(const Evidence& evidence, const Whole& shell);

// Lines that ran a command again and again, as far as calls tell.
bool is_repeated(const ShellLine& line);

}  // namespace prof::findings
