// Calls as the interpreter tells them before 3.12: by a profile function, which each thread state has for itself.
#pragma once

#include "agent/python/interpreter.hpp"

namespace prof::python::calls {

// Sets our profile function in all thread states. With the GIL. False: `why` says why not.
bool begin_profile_function(const Interpreter& of, const char*& why);

// The program sets a profile function of its own in the calling thread (the event sys.setprofile): from now on it has
// that one, and our counting of that thread ends.
void profile_function_replaced();

}  // namespace prof::python::calls
