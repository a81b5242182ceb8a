// Hash tables of the user's own, whose entries are chained, with a hash that gives many keys the same value, by their
// source.
#pragma once

#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"

namespace prof::findings {

// Of programs that spend much of their time in walking along such chains: one finding.
std::vector<Finding> look_for_own_chains(const Evidence& evidence);

}  // namespace prof::findings
