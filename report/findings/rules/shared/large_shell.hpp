// A shell that holds much: each process that it starts begins as a copy of it.
#pragma once

#include <cstdint>
#include <optional>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"
#include "report/findings/rules/shared/process_tree.hpp"

namespace prof::findings {

struct LargeShell {
  std::int64_t resident_bytes = 0;
  std::int64_t line_bytes = 0;  // of them, held by the line
  Place line;                   // of its script, that holds most
};

// None: it is as small as shells are, does not say its lines, or started few copies of itself when it was large.
std::optional<LargeShell> large_shell_of(const Evidence& evidence, const Whole& shell);

// Adds to a finding about the processes that it starts what it held, and, behind the first place, the line.
void tell_of_large_shell(Finding& finding, const LargeShell& shell);

}  // namespace prof::findings
