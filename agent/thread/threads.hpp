// The threads of this process that have a state.
#pragma once

#include <cstdint>

#include "agent/thread/guard.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof::threads {

// Makes sure that the thread's counters are in the log, once there is one. Hook and tick contexts.
void settle(ThreadState& t);

// Calls `visit(state)` for each thread that is alive and registered. It may end meanwhile: then the state becomes all
// zeros, or a later thread's. Ordinary code and process events.
template <class Visit>
void for_each(Visit visit);

// Notes the calling thread's name. Any context.
void note_name(ThreadState& t);

// What is known of a state apart from it, whose own memory may have been given back. Stays mapped for ever.
struct Seat {
  ThreadState* state;
  Seat* next_known;  // of all ever made
  Seat* next_free;
  bool alive;  // a thread has the state now
  // Of a state whose memory was given back: what its next thread takes over.
  std::uint32_t slot;
  std::uint32_t chunks[2];  // of its regions: tree/region.hpp
};

// Whether a thread has the state, whose memory may be given back meanwhile. Any context.
inline bool alive(const ThreadState& t) {
  const Seat* const seat = __atomic_load_n(&t.seat, __ATOMIC_RELAXED);
  return seat != nullptr && seat->alive;
}

// The seat that was made last, of all that were ever made. Lock-free.
Seat* first_known();
// A seat for a new state, known from now on. Null: no memory. Lock-free.
Seat* make_seat(ThreadState& t);

// Once at start.
void prepare_known();

template <class Visit>
void for_each(Visit visit) {
  for (const Seat* seat = first_known(); seat != nullptr; seat = seat->next_known) {
    if (seat->alive) visit(*seat->state);
  }
}

}  // namespace prof::threads
