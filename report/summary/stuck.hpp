// Calls that have not returned: of a program that hangs, what it hangs in.
#pragma once

#include <string>

#include "report/show/view.hpp"

namespace prof::show {

// A sentence about the program's main thread and the locks that other threads wait for, where a call of long standing
// was not over when the first process of the run was killed, or when its log was read. Event loops, shells that
// wait for a command and who waits for a signal do what they are for. Empty: none of this.
std::string stuck_text(const Subject& subject);

}  // namespace prof::show
