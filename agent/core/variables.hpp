// Variables that the agent adds to its own process's environment, for libraries and child programs to find.
#pragma once

namespace prof {

// Adds `entry` ("NAME=value"), which must stay where it is, unless NAME is set already. What was set before; null: it
// was not, or there is no memory. Without the host's malloc. Process event: start.
const char* add_variable(char* entry);

// Whether the variable is set, to anything. Process event: start.
bool is_set(const char* name);

// Sets NAME to the value of `entry`, which must stay where it is, whatever it was. Process event: start.
void set_variable(char* entry);

// Names libprof.so in `variable`, for a library that loads what it finds there and calls it, unless it names something
// already. False: something else, which is another tool's. Process event: start.
bool offer_ourselves(const char* variable);
// The same with a file that stands beside libprof.so, if it is there; which is not looked at.
bool offer_beside(const char* variable, const char* file);

}  // namespace prof
