// Pools of processes, to which everything is handed over by pickling it.
#pragma once

#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"

namespace prof::findings {

// The own line that waits longest for a pool: threads of the pool pickle for it. Workers are processes of their own,
// which wait for what to do.
std::vector<Place> using_pools(const Evidence& evidence);

// Where such a line gives a pool a method of an object, by the source, the advice begins with that: the method takes
// its object along.
void tell_of_methods(const Evidence& evidence, Finding& finding);

}  // namespace prof::findings
