// The greenlet that a thread runs, as a frame of its stacks.
//
// The interpreter's frames of a greenlet end where it began; on the C stack, what begins a greenlet stands there, and
// what lies further out is whatever greenlet used that part of the stack last. So a thread runs a greenlet, and not its
// main one, where the code that surrounds its outermost Python frame is greenlet's. Which one it is only greenlet's own
// state tells, which may be half switched in a tick; but the function with which it began is its outermost frame, and
// is what names it. It stands in the stack just outside that frame. Of what hands a function on to be a greenlet's, the
// frame is left out.
#pragma once

#include <cstdint>

#include "agent/python/frames.hpp"
#include "agent/python/interpreter.hpp"
#include "agent/python/memory.hpp"
#include "agent/thread/guard.hpp"

namespace prof::python {

// Frames further out than the run of the outermost Python frame in which greenlet's code is looked for.
inline constexpr std::uint32_t kGreenletFrames = 16;

// The entry of a greenlet whose outermost frame is at `frame`, and the next one at `next` (0: there is none); 0: it
// cannot be told. Contexts: hook and tick.
std::uint64_t greenlet_of(const Guard& guard, const Interpreter& of, Memory& memory, std::uintptr_t frame,
                          std::uintptr_t next);

}  // namespace prof::python
