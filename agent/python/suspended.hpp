// Where coroutines and the frames of theirs that do not run keep what they are made of.
#pragma once

#include <cstdint>

#include "agent/python/interpreter.hpp"

namespace prof::python {

// Sources: the headers that offsets.hpp names, and genobject.h.
struct SuspendedLayout {
  std::uintptr_t locals;     // of a frame: its local variables, the arguments first
  std::uintptr_t coroutine;  // of a coroutine: its frame; Chain::Objects: a pointer to it
  std::uintptr_t qualname;   // of a coroutine: its qualified name
  std::uintptr_t top;        // of a frame: how far its stack reaches
  enum class Top : std::uint8_t { Pointer, Count, CountOfStack } kind;
  std::uintptr_t stack = 0;  // CountOfStack: of a frame, a pointer to its stack
};

// False: it is not known for this version. Any context.
bool suspended_layout(const Interpreter& of, SuspendedLayout& layout);

}  // namespace prof::python
