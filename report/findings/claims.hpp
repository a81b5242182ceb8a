// What findings claim of a run: its time and its memory.
#pragma once

#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"

namespace prof::findings {

// Lets the same second be claimed once: of findings that name a line together and claim more than went by at their
// lines, the larger one stays, or the more telling one of two that are about as large, and says in its words what the
// other one was. General findings (Finding::general) are left alone. `findings` are in the order of the rules, causes
// first.
void claim_once(const Evidence& evidence, std::vector<Finding>& findings);

}  // namespace prof::findings
