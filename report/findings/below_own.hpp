// What stacks do between the innermost frame of the user's own code and their end, by the names of functions.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "report/findings/evidence.hpp"

namespace prof::findings {

using IsNode = std::function<bool(const symbols::Function&)>;

// By node of Evidence::lines(), of those in Evidence::timed(): whether a function for which `is` holds stands at it or
// above it, without own code in between; constructors, destructors and assignments are none.
std::vector<bool> below_own(const Evidence& evidence, const IsNode& is);

// The same where such a function stands below one for which `outer` holds, without own code or a function of Python in
// between: what numpy's std() does, which is written in Python, numpy does not do to each element.
std::vector<bool> below_own(const Evidence& evidence, const IsNode& outer, const IsNode& is);

}  // namespace prof::findings
