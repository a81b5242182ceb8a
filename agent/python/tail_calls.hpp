// Interpreters whose evaluation loop is many functions that jump to one another, one for each instruction
// (--with-tail-call-interp, 3.14 on). The function that begins a run calls one of them, and whatever an instruction
// calls is called from them: each run is two native frames, of which the inner one has no object on the C stack.
#pragma once

#include <cstdint>

#include "agent/unwind/objects.hpp"

namespace prof::python {

// Whether `object` is such an interpreter, with its loop at `eval_entry`. No name tells: these functions are not
// exported. But their addresses stand in a table of all instructions, and unlike the labels of a usual loop each is
// where a function begins. Ordinary code.
bool has_tail_calls(const Object& object, std::uintptr_t eval_entry);

}  // namespace prof::python
