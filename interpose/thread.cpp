// Threads: each new one is registered before its own code runs. Threads that are made past these functions register at
// the first interposed call that records.
#include <pthread.h>
#include <threads.h>

#include "agent/life/start.hpp"
#include "interpose/hook/hook.hpp"

PROF_REAL(pthread_create);
PROF_REAL(thrd_create);

using prof::threads::Routine;
using prof::threads::Start;

PROF_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, Routine routine,
                               void* argument) noexcept {
  prof::resolve_late_reals();
  Start* start = prof::threads::make_start(routine, argument);
  const int error = start != nullptr ? real_pthread_create(thread, attributes, prof::threads::run_started, start)
                                     : real_pthread_create(thread, attributes, routine, argument);
  if (error != 0 && start != nullptr) prof::threads::drop_start(start);
  return error;
}

// C11 routines return an int; the x86-64 and AArch64 calling conventions return both kinds in the same register.
PROF_EXPORT int thrd_create(thrd_t* thread, thrd_start_t routine, void* argument) {
  prof::resolve_late_reals();
  Start* start = prof::threads::make_start(reinterpret_cast<Routine>(reinterpret_cast<void*>(routine)), argument);
  const auto run = reinterpret_cast<thrd_start_t>(reinterpret_cast<void*>(prof::threads::run_started));
  const int error =
      start != nullptr ? real_thrd_create(thread, run, start) : real_thrd_create(thread, routine, argument);
  if (error != thrd_success && start != nullptr) prof::threads::drop_start(start);
  return error;
}
