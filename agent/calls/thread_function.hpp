// Profile and trace functions of the interpreter before 3.12: each thread state has its own, and all are to have ours.
#pragma once

#include "agent/python/interpreter.hpp"

namespace prof::python::calls {

enum class FunctionKind { Profile, Trace };

// Sets `function` in all thread states, and in those that are made later. With the GIL. False: `why`, a static text,
// says why not.
bool set_everywhere(const Interpreter& of, FunctionKind kind, ProfileFunction function, const char*& why);

// `value` may be the calling thread's thread state, which it has just taken: then it gets the function too. Without the
// GIL.
void cover_new_thread_state(const void* value);

// Whether an event that tells of a function being set tells of another one than ours. With the GIL.
bool replaced(FunctionKind kind);

}  // namespace prof::python::calls
