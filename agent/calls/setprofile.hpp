// Programs that set a profile function of their own (sys.setprofile) while their calls are counted.
//
// A profile function is told of returns from C functions, and the first return that it meets is that of sys.setprofile
// itself - but only if the interpreter had reported the call of it, which it does when somebody counts calls already. A
// program would see one event more than alone, and profile.py takes it for an error. So sys.setprofile is entered
// through here, and that one event is kept back.
#pragma once

#include "agent/python/interpreter.hpp"

namespace prof::python::calls {

// From now on. `ours` is our own profile function; null: calls are counted in another way. With the GIL.
void keep_back_first_return(const Interpreter& of, ProfileFunction ours);

}  // namespace prof::python::calls
