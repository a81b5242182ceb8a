// A call stack as the agent takes it, and the one way to take it.
#pragma once

#include <ucontext.h>

#include <cstdint>

#include "agent/thread/guard.hpp"

namespace prof {

// Frames are lookup addresses, innermost first: the interrupted instruction itself, or return address - 1; or Python
// frames (python/frames.hpp) in the place of the interpreter's loop. Frames of libprof.so are left out.
struct Stack {
  const std::uintptr_t* frames;
  std::uint32_t depth;
  bool truncated;  // deeper than the limit: the outermost frames are missing
  bool broken;     // the walk did not end at an outermost frame
};

// What a stack is of: where an event loop of asyncio waits, the coroutines that its main task awaits stand inside the
// loop's frames (python/awaiting.hpp).
enum class StackOf : bool { Anything, Wait };

// The stack of the function that called the interposed function, for a HookGuard; valid until the thread's next stack
// of the same context.
Stack stack_here(const Guard& guard, StackOf what = StackOf::Anything);
// The stack that a signal interrupted, for a TickGuard.
Stack stack_of(const Guard& guard, const ucontext_t& interrupted);

}  // namespace prof
