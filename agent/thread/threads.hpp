// The threads of this process: which have a state, when they start and end.
#pragma once

#include <cstdint>

#include "agent/core/guard.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof::threads {

// Gives the calling thread its state: a slot in the log, its stack's bounds, its ticks. Ordinary code, not inside the
// agent. Null when there is no memory for it; the thread then runs unrecorded. `start_routine` may be null.
ThreadState* register_current(const void* start_routine);

// Likewise for a thread that is the agent's own: without ticks, and marked as such.
ThreadState* register_own();

// Makes sure that the thread's counters are in the log, once there is one. Hook and tick contexts.
void settle(ThreadState& t);

// Calls `visit(state)` for each thread that is alive and registered. Ordinary code and process events.
template <class Visit>
void for_each(Visit visit);

// Looks at the CPU clocks and names of all living threads and notes them in the log. Process events.
void note_all();

// Notes the calling thread's name. Any context.
void note_name(ThreadState& t);

// Forgets all threads but the calling one, which gets a fresh state: for a forked child.
void after_fork();

// Once at start. False when the process has no more thread keys: ends of threads will not be seen.
bool prepare_threads();

ThreadState* first_known();

template <class Visit>
void for_each(Visit visit) {
  for (ThreadState* t = first_known(); t != nullptr; t = t->next_known) {
    if (t->alive) visit(*t);
  }
}

}  // namespace prof::threads
