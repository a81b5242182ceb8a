// A shell that holds much: each process that it starts begins as a copy of it.
#pragma once

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"
#include "report/findings/rules/process_tree.hpp"

namespace prof::findings {

// Adds to a finding about processes that `shell` starts that it was large, and, behind the first place, the line of its
// script that holds most. Not where the shell is as small as shells are, or does not say its lines.
void tell_of_large_shell(Finding& finding, const Evidence& evidence, const Whole& shell);

}  // namespace prof::findings
