// Debuggers stop at each signal that they do not know of, and so at each tick of the program under them.
#pragma once

#include <string>
#include <vector>

namespace prof::cli {

// `command` (its program first), and if it is gdb, told to pass ticks on.
std::vector<std::string> with_ticks_passed(std::vector<std::string> command);

}  // namespace prof::cli
