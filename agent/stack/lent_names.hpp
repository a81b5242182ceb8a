// What an interpreter runs in frames that it was lent (unwind/lent_frames.hpp), by whoever knows the interpreter.
#pragma once

#include <ucontext.h>

#include <cstdint>

#include "agent/thread/guard.hpp"
#include "agent/unwind/memory.hpp"

namespace prof::lent_names {

struct Frame {
  std::uintptr_t bp;            // its words up to bp + 16 can be read
  std::uintptr_t low;           // what is of it on the stack from here on can be read, too
  const ucontext_t* registers;  // of the interrupted frame; null: it is in a call
};
// The entry of python/frames.hpp that stands for what a frame runs; 0: not known. In the contexts of a guard.
using Name = std::uint64_t (*)(const Guard& guard, const Frame& frame);

// From now on frames are named so, those of which nothing is known by the address `code`. Ordinary code.
void name_by(Name how, std::uintptr_t code);

// Puts into a walked stack what its marked frames run. `sp`: where it begins; `registers`: as of its start.
void put_in(const Guard& guard, std::uintptr_t* frames, std::uint32_t depth, std::uintptr_t sp,
            const ucontext_t* registers);

// Once at start.
void prepare();

}  // namespace prof::lent_names
