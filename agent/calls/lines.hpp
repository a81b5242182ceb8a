// Lines of chosen functions, counted exactly: how often each was reached, and the wall time from its beginning to that
// of the next line of the same frame, or to the frame's end; what it calls is in it.
#pragma once

#include "agent/python/interpreter.hpp"

namespace prof::python::calls {

// Counts the lines of the functions of `patterns` (patterns.hpp), which stay where they are; empty: of the program's
// own files. With the GIL. False: `why`, a static text, says why not.
bool begin_lines(const Interpreter& of, const char* patterns, const char*& why);

// The program sets a trace function of its own in the calling thread (the event sys.settrace).
void trace_function_replaced();

}  // namespace prof::python::calls
