// Chosen functions, counted exactly beside whatever else is recorded: their calls, their time and who called them.
// Calls of other functions cost next to nothing. A watched function's own time is its time without that of watched
// functions that it called.
#pragma once

#include "agent/python/interpreter.hpp"

namespace prof::python::calls {

// Watches the functions of `patterns` (patterns.hpp), which stay where they are. With the GIL. False: `why`, a static
// text, says why not.
bool begin_watch(const Interpreter& of, const char* patterns, const char*& why);

}  // namespace prof::python::calls
