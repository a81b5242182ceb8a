// Alternate signal stacks that the agent gives to threads: only where code may run that a tick on its own stack would
// harm.
//
// Compilers' code keeps the stack pointer at the end of what it has on the stack, and the kernel may put a signal's
// frame below. Code that a program writes itself need not: oneDNN's matrix products (in PyTorch, TensorFlow and jax)
// point it at a buffer on the heap when the inner dimension is large, and any signal's frame is then written over
// whatever lies in front of that buffer. Such a program is one that makes memory writable and executable: from then on
// a thread without an alternate signal stack is given one, before its next tick.
//
// Everywhere else that would change the program - handlers that it installed with SA_ONSTACK and without such a stack
// would run on ours - and here it is as little as can be: the stack is large, and sigaltstack does not tell of it.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include "agent/thread/thread_state.hpp"

namespace prof::ticks {

// The program is about to make memory writable and executable. The calling thread gets its stack, all others have no
// ticks until they pass a hook: the new code cannot have run before. Ordinary code; nothing in a vfork child.
void before_own_code();

// Whether that was so. Any context; a load.
bool has_own_code();

// Gives the calling thread a stack if the program has such code and the thread has none. False: it should have one,
// and there is no memory. Any context.
bool give_stack();
// The same for the thread that a tick interrupted, once the handler returns. Tick.
void give_stack(ucontext_t& interrupted);

// There was no memory: the calling thread has no ticks until it passes a hook, and tries again there. Any context.
void await_stack(ThreadState& t);

// Takes it away from the calling thread, which ends: it stays for ever where that runs on it. Any context.
void take_stack_back();

// What the program is told of a signal stack of the calling thread: where it is one of these, that there is none. Any
// context.
void hide_given(stack_t& stack);

}  // namespace prof::ticks
