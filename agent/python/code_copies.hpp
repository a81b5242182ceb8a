// Copies of a code object's instructions: without the GIL each thread specialises its own (3.14 on, pycore_code.h).
#pragma once

#include <cstdint>

#include "agent/python/memory.hpp"
#include "agent/python/offsets.hpp"

namespace prof::python {

// Where the instructions begin that the frame runs; both objects were shown to be readable. False: it cannot be told.
// Any context.
bool begin_of_copy(const Offsets& offsets, Memory& memory, std::uintptr_t frame, std::uintptr_t code,
                   std::uintptr_t& begin);

}  // namespace prof::python
