// The threads of this process that have a state.
#pragma once

#include <cstdint>

#include "agent/thread/guard.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof::threads {

// Makes sure that the thread's counters are in the log, once there is one. Hook and tick contexts.
void settle(ThreadState& t);

// Calls `visit(state)` for each thread that is alive and registered. Ordinary code and process events.
template <class Visit>
void for_each(Visit visit);

// Notes the calling thread's name. Any context.
void note_name(ThreadState& t);

// The state that was made last, of all that were ever made; and makes `t` that. Lock-free.
ThreadState* first_known();
void add_known(ThreadState& t);

// Once at start.
void prepare_known();

template <class Visit>
void for_each(Visit visit) {
  for (ThreadState* t = first_known(); t != nullptr; t = t->next_known) {
    if (t->alive) visit(*t);
  }
}

}  // namespace prof::threads
