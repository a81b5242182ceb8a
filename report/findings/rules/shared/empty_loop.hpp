// Loops without a body, by their source: nothing else tells them from loops that compute.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace prof::findings {

// Whether line `number` (from 1) of a file of Python, or else of C or C++, belongs to a loop that does nothing but look
// at its condition, perhaps with a yield, a pause, or a turn given to the other tasks of an event loop. Conditions that
// may do the work themselves (an assignment, an increment, a call of a function that is not known to only look) make it
// another loop. False where the text does not say.
bool in_empty_loop(const std::vector<std::string>& lines, std::size_t number, bool python);

}  // namespace prof::findings
