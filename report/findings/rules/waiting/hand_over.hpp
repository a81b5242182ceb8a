// Waits for other threads and processes that are short and many, so that the waking is what they take.
#pragma once

#include <optional>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"

namespace prof::findings {

// Processes that take a lock of multiprocessing for each small piece of work, as for each increment of a Value. Without
// the name of a rule.
std::optional<Finding> lock_for_each_piece(const Evidence& evidence);

}  // namespace prof::findings
