// Memory for threads: one block for each, in few mappings.
//
// The kernel counts mappings (vm.max_map_count), and a program with thousands of threads is near the limit by their
// stacks alone. So blocks come several to a mapping. In a block stands first the ThreadState, on pages that every
// thread uses; then what is large, of which a thread touches what it needs; last the stack that its ticks run on.
//
// A block is never unmapped: other threads may be looking at it. Those that are given back keep what a new thread would
// have to learn anew - rows, stacks that were seen -, but for more than a few at a time.
#pragma once

#include "agent/thread/thread_state.hpp"

namespace prof::threads {

// A state whose thread has ended, as it was left but for what `give_block` takes; or a new one: zeros, but for its
// pointers into its block. Null: no memory. Lock-free.
ThreadState* take_block();
// The other threads are done with it, or will find that it is not in use.
void give_block(ThreadState* t);

// In a forked child, before its first state: that of the thread that forked, whose memory is zeroed and mapped already.
void inherit_block(ThreadState* t);

// Sets the regions of the state's own block: for a slot that is new to it.
void begin_regions(ThreadState& t);

// The state that was made last, of all: see ThreadState::next_known.
ThreadState* first_block();

void prepare_blocks();

}  // namespace prof::threads
