// Where a thread's stack lies.
#pragma once

#include "agent/unwind/memory.hpp"

namespace prof::threads {

// Of the main thread: as far as its limit lets it grow.
StackBounds bounds_of_main();

// Of the calling thread, which is another one; empty where libc cannot tell. libc's answer takes memory of the host's
// allocator, which may give each thread that asks for some an arena, and a thread for that arena: it is asked in one
// thread of a process, as a rule, and for the others read where libc was seen to have it. Ordinary code.
StackBounds bounds_of_thread();

// Once at start.
void prepare_stack_bounds();

}  // namespace prof::threads
