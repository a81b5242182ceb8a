// Hash functions of C++ that give many keys the same value, by their source.
#pragma once

#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"

namespace prof::findings {

// Of programs that spend much of their time in std::unordered_map and its kin, with such a function beside: one
// finding.
std::vector<Finding> look_for_poor_hashes(const Evidence& evidence);

}  // namespace prof::findings
