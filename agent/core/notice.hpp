// The one line that the agent may write to the user's terminal.
#pragma once

#include <string_view>

namespace prof {

// Writes "libprof: TEXT" and a newline to file descriptor 2 in one write, and only the first time in a run: not in
// child processes, not when the user asked for quiet, not twice. Only for conditions found at start or when the log is
// made: later, descriptor 2 may be a file of the host's.
void notice(std::string_view text);

}  // namespace prof
