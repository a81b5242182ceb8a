// Calls as the interpreter tells them from 3.12 on: by sys.monitoring, in all threads.
#pragma once

#include "agent/python/interpreter.hpp"

namespace prof::python::calls {

// Begins to count all calls. With the GIL. False: `why` says why not.
bool begin_monitored_calls(const Interpreter& of, const char*& why);

}  // namespace prof::python::calls
