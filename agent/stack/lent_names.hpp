// What an interpreter runs in frames that it was lent (unwind/lent_frames.hpp), by whoever knows the interpreter.
#pragma once

#include <ucontext.h>

#include <cstdint>

#include "agent/thread/guard.hpp"
#include "agent/unwind/memory.hpp"

namespace prof::lent_names {

struct Frames {
  std::uintptr_t* entries;  // of a walked stack; marked ones are to be replaced where that can be
  std::uint32_t count;
  std::uintptr_t low, high;     // the part of the stack that they are on, all of which can be read
  const ucontext_t* registers;  // of the innermost one, if it was interrupted; null: it is in a call
};
// Puts entries of python/frames.hpp in the place of marked ones. In the contexts of a guard.
using Name = void (*)(const Guard& guard, const Frames& frames);

// From now on frames are named so, those of which nothing is known by the address `code`. Ordinary code.
void name_by(Name how, std::uintptr_t code);

// Puts into a walked stack what its marked frames run. `sp`: where it begins; `registers`: as of its start.
void put_in(const Guard& guard, std::uintptr_t* entries, std::uint32_t count, std::uintptr_t sp,
            const ucontext_t* registers);

// Once at start.
void prepare();

}  // namespace prof::lent_names
