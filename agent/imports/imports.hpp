// How long imports take: each one that loads a module, from its beginning to its end, with those that it makes itself.
//
// An import that finds its module loaded is a look into a dictionary; all others go through one function of the
// interpreter's import system (importlib._bootstrap._find_and_load), which the interpreter calls through a pointer that
// each function object carries (PEP 590). That pointer is made to lead here and from here to where it led before. The
// function object stays what it is, no frame is added, and what it returns or raises passes unchanged: a program cannot
// tell. What -X importtime
// measures is measured, and what importlib.import_module loads as well - not in 3.11, where Python code calls Python
// code past that pointer: there only the imports that it makes are seen.
#pragma once

#include <cstdint>

#include "agent/python/api.hpp"

namespace prof::python::imports {

inline constexpr std::uint32_t kMostNestedImports = 128;  // deeper ones are part of the deepest

// The imports that are open in one thread, outermost first.
struct OpenImports {
  std::uint32_t count;
  std::uint64_t start_ns[kMostNestedImports];   // CLOCK_MONOTONIC
  std::uint64_t nested_ns[kMostNestedImports];  // in imports of their own, that ended
};

// An audit event: watches imports from now on, if the interpreter has got so far that it imports. With the GIL; cheap
// once that was done. False: try again at the next event.
bool watch_imports(const char* event);

// Once at start.
void prepare_imports();

}  // namespace prof::python::imports
