// Barriers: each arrival is timed, that of the last thread too.
#include <pthread.h>

#include "interpose/lock/lock.hpp"

PROF_REAL(pthread_barrier_wait);
PROF_REAL(pthread_barrier_init);
PROF_REAL(pthread_barrier_destroy);

PROF_WAIT_FUNCTION(pthread_barrier_wait);

static int error_of(int result) { return result == PTHREAD_BARRIER_SERIAL_THREAD ? 0 : result; }

PROF_EXPORT int pthread_barrier_wait(pthread_barrier_t* b) noexcept {
  return prof::locks::waited<error_of>(function_pthread_barrier_wait, b, prof::log::LockKind::Barrier, 0,
                                       __builtin_return_address(0), [=] { return real_pthread_barrier_wait(b); });
}

PROF_EXPORT int pthread_barrier_init(pthread_barrier_t* b, const pthread_barrierattr_t* attributes,
                                     unsigned count) noexcept {
  const int error = real_pthread_barrier_init(b, attributes, count);
  if (error == 0) prof::wait::created(b);
  return error;
}

PROF_EXPORT int pthread_barrier_destroy(pthread_barrier_t* b) noexcept {
  const int error = real_pthread_barrier_destroy(b);
  if (error == 0) prof::wait::destroyed(b);
  return error;
}
