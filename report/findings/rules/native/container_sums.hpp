// Sums of Counters that copy all that was summed so far.
#pragma once

#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"

namespace prof::findings {

// What the rule about concatenations says of them; lists and text are told by the interpreter's own functions.
std::vector<Finding> look_for_counter_sums(const Evidence& evidence);

}  // namespace prof::findings
