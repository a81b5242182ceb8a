// The calling thread's state in the interpreter.
#pragma once

#include <cstdint>

#include "agent/python/interpreter.hpp"

namespace prof::python {

struct CurrentThread {
  std::uintptr_t state;  // address of the PyThreadState; 0: the thread never ran Python code
  bool only;             // the thread has no other one: no sub-interpreter runs in it
};

// The state whose frames the calling thread runs, also while it runs native code without the GIL. Any context.
CurrentThread current_thread(const Interpreter& of);

// Whether the calling thread has the GIL, so that nobody else changes objects; false where there is none, or it cannot
// be told. Any context.
bool has_gil(const Interpreter& of);

}  // namespace prof::python
