// Waits for the ends of threads. Cancellation points, as waits for conditions are.
#include <pthread.h>
#include <threads.h>

#include "interpose/lock/lock.hpp"

PROF_REAL(pthread_join);
PROF_REAL(pthread_timedjoin_np);
PROF_REAL_AS(pthread_clockjoin_np, int(pthread_t, void**, clockid_t, const timespec*));
PROF_REAL(thrd_join);

PROF_WAIT_FUNCTION(pthread_join);
PROF_WAIT_FUNCTION(pthread_timedjoin_np);
PROF_WAIT_FUNCTION(pthread_clockjoin_np);
PROF_WAIT_FUNCTION(thrd_join);

using prof::log::WaitClass;
using prof::wait::Call;

PROF_EXPORT int pthread_join(pthread_t thread, void** result) {
  Call call(function_pthread_join, WaitClass::Lock);
  const int error = real_pthread_join(thread, result);
  call.done(error);
  return error;
}

PROF_EXPORT int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* until) {
  Call call(function_pthread_timedjoin_np, WaitClass::Lock);
  const int error = real_pthread_timedjoin_np(thread, result, until);
  call.done(error);
  return error;
}

PROF_EXPORT int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock, const timespec* until) {
  Call call(function_pthread_clockjoin_np, WaitClass::Lock);
  const int error = real_pthread_clockjoin_np(thread, result, clock, until);
  call.done(error);
  return error;
}

PROF_EXPORT int thrd_join(thrd_t thread, int* status) {
  Call call(function_thrd_join, WaitClass::Lock);
  const int result = real_thrd_join(thread, status);
  call.done(prof::locks::error_of_c11(result));
  return result;
}
