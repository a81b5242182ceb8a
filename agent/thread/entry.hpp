// What entering the agent takes of the layers on top, which bring processes, threads and their ticks to life: declared
// here, where it is needed, and defined in life/ and sample/.
#pragma once

#include "agent/thread/thread_state.hpp"

namespace prof {

namespace lifecycle {

// Starts the agent once; further calls do nothing. Called from the library's constructor, or by the first interposed
// call that comes before it. `environment` may be null: then libc is not ready yet and nothing happens.
void start(char** environment);

// Whether this process was forked without our knowing (a raw system call): everything of ours is zeroed. `renew` makes
// it a recorded process of its own.
bool forked_unseen();
void renew_after_fork();

}  // namespace lifecycle

namespace threads {

// Gives the calling thread its state: a slot in the log, its stack's bounds, its ticks. Ordinary code, not inside the
// agent. Null when there is no memory for it; the thread then runs unrecorded. `start_routine` may be null.
ThreadState* register_current(const void* start_routine);

// Likewise for a thread that is the agent's own: without ticks, and marked as such.
ThreadState* register_own();

}  // namespace threads

namespace ticks {

// For the calling thread where it awaits a signal stack: sample/given_stack.hpp. Ordinary code.
void end_pause(ThreadState& t);

}  // namespace ticks
}  // namespace prof
