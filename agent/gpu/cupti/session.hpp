// Our use of CUPTI in this process: from its start, when the program initialises the driver, to its end.
#pragma once

#include <cstdint>

#include "agent/gpu/cupti/library.hpp"
#include "agent/thread/guard.hpp"

namespace prof::gpu::cupti {

enum class State : std::uint32_t {
  Idle,       // the program has not initialised the driver, as far as we know
  Starting,   // a thread is at it
  Active,     // records come
  Suspended,  // another client has ended CUPTI; it may be started again
  Refused,    // it cannot be had; why was told
};

State session_state();
inline bool session_active() { return session_state() == State::Active; }
// Of the library in use; valid once the session was active.
const Library& session_library();

// Starts CUPTI, at most once at a time. `by_driver`: the driver has called us from its initialisation. Ordinary code.
void start_session(const Guard& guard, bool by_driver);
// Another client ends CUPTI for the whole process: around its call.
void suspend_session();
// Another client wants CUPTI to itself, and gets it: from here on nothing is recorded of the devices' work. `text` is
// told. The client's call comes afterwards.
void leave_session(const char* text);
// Where CUPTI still holds our use of it against that client: ends it altogether.
void end_left_session();
// It cannot be had, for this reason.
void refuse_session(const char* why);
// The program ends, and CUPTI was not started: says so, with the last failure if there was one, else with `why` (null:
// not at all).
void give_up_session(const char* why);

// What our thread does besides, twice a second.
void each_turn(const Guard& guard);

}  // namespace prof::gpu::cupti
