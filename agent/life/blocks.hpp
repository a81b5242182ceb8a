// Memory for threads: one block for each, in few mappings.
//
// The kernel counts mappings (vm.max_map_count), and a program with thousands of threads is near the limit by their
// stacks alone. So blocks come several to a mapping. In a block stands first the ThreadState, with what every thread
// uses and its first stacks take, on one page; then what its first ticks take, on another; then what is large, of which
// a thread touches what it needs.
//
// A block is never unmapped: other threads may be looking at it. A few of those that are given back keep what a new
// thread would have to learn anew - rows, stacks that were seen -, and are taken first. Of the others nothing remains
// but a seat (thread/threads.hpp): the next thread in such a one's slot finds its records again in the log. Only where
// these are many does the first page remain, and the way to find them.
#pragma once

#include "agent/thread/thread_state.hpp"

namespace prof::threads {

// A state whose thread has ended, as it was left but for what `give_block` takes: perhaps all but its slot; or a new
// one: zeros, but for its pointers into its block. Null: no memory. Lock-free.
ThreadState* take_block();
// The other threads are done with it, or will find that it is not in use.
void give_block(ThreadState* t);

// In a forked child, before its first state: that of the thread that forked, whose memory is zeroed and mapped already.
void inherit_block(ThreadState* t);

// Sets the regions of the state's own block: for a slot that is new to it, or of which it knows nothing any more.
void begin_regions(ThreadState& t);

void prepare_blocks();

}  // namespace prof::threads
