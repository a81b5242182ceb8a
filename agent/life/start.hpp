// The beginning of threads that the program makes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::threads {

using Routine = void* (*)(void*);

// What a new thread is to run; made by its parent, consumed by `run_started`.
struct Start {
  Routine routine;
  void* argument;
  std::uint32_t host_blocks;  // of real-time signals: inherited, as signal masks are
  char python_name[48];       // empty: not a Python thread
};

// A Start to pass to a new thread; null when the agent is off or out of memory: pass the routine itself then. Ordinary
// code.
Start* make_start(Routine routine, void* argument);
// The thread could not be made after all.
void drop_start(Start* start);
// The new thread's routine, with its Start as argument: registers the thread and runs the program's routine.
void* run_started(void* start);

// Whether any thread was made, or is about to be, that has not registered yet. Any context.
bool any_starting();

void prepare_starts();

}  // namespace prof::threads
