// What asyncio.gather() waits for: the children of its future, read as everything of the interpreter is.
#pragma once

#include <cstdint>

#include "agent/python/interpreter.hpp"
#include "agent/python/memory.hpp"

namespace prof::python {

// Pointers to objects, in a list that nobody changes while the loop waits.
struct Gathered {
  std::uintptr_t items = 0;
  std::uint32_t count = 0;
};

// False: the future is none of gather()'s, or it could not be read, or it has more children than are worth a look.
bool gathered_by(const Interpreter& of, Memory& memory, std::uintptr_t future, Gathered& children);

}  // namespace prof::python
