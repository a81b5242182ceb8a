// Waits for conditions: all of them are timed. They are cancellation points: a cancelled thread unwinds through these
// frames, which have nothing to undo, after libc has taken the mutex again for the cleanup handlers.
//
// Programs that were linked before glibc 2.3.2 had conditions of another make, with functions of their own
// (GLIBC_2.2.5). These functions have no versions and answer for both; what such a program signals in the old way would
// wake nobody who waits in the new one. Of x86-64 programs only those of 2003 are that old.
#include <pthread.h>
#include <threads.h>

#include "interpose/lock/lock.hpp"

PROF_REAL_VERSION(pthread_cond_wait, "GLIBC_2.3.2");
PROF_REAL_VERSION(pthread_cond_timedwait, "GLIBC_2.3.2");
PROF_REAL_AS(pthread_cond_clockwait, int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*));
PROF_REAL_VERSION(pthread_cond_init, "GLIBC_2.3.2");
PROF_REAL_VERSION(pthread_cond_destroy, "GLIBC_2.3.2");
PROF_REAL(cnd_wait);
PROF_REAL(cnd_timedwait);

PROF_WAIT_FUNCTION(pthread_cond_wait);
PROF_WAIT_FUNCTION(pthread_cond_timedwait);
PROF_WAIT_FUNCTION(pthread_cond_clockwait);
PROF_WAIT_FUNCTION(cnd_wait);
PROF_WAIT_FUNCTION(cnd_timedwait);

namespace locks = prof::locks;
using prof::log::LockKind;

PROF_EXPORT int pthread_cond_wait(pthread_cond_t* c, pthread_mutex_t* m) {
  return locks::waited(function_pthread_cond_wait, c, LockKind::Condition, 0, __builtin_return_address(0),
                       [=] { return real_pthread_cond_wait(c, m); });
}

PROF_EXPORT int pthread_cond_timedwait(pthread_cond_t* c, pthread_mutex_t* m, const timespec* until) {
  return locks::waited(function_pthread_cond_timedwait, c, LockKind::Condition, 0, __builtin_return_address(0),
                       [=] { return real_pthread_cond_timedwait(c, m, until); });
}

PROF_EXPORT int pthread_cond_clockwait(pthread_cond_t* c, pthread_mutex_t* m, clockid_t clock, const timespec* until) {
  return locks::waited(function_pthread_cond_clockwait, c, LockKind::Condition, 0, __builtin_return_address(0),
                       [=] { return real_pthread_cond_clockwait(c, m, clock, until); });
}

PROF_EXPORT int cnd_wait(cnd_t* c, mtx_t* m) {
  return locks::waited<locks::error_of_c11>(function_cnd_wait, c, LockKind::Condition, 0, __builtin_return_address(0),
                                            [=] { return real_cnd_wait(c, m); });
}

PROF_EXPORT int cnd_timedwait(cnd_t* __restrict c, mtx_t* __restrict m, const timespec* __restrict until) {
  return locks::waited<locks::error_of_c11>(function_cnd_timedwait, c, LockKind::Condition, 0,
                                            __builtin_return_address(0),
                                            [=] { return real_cnd_timedwait(c, m, until); });
}

PROF_EXPORT int pthread_cond_init(pthread_cond_t* c, const pthread_condattr_t* attributes) noexcept {
  const int error = real_pthread_cond_init(c, attributes);
  if (error == 0) prof::wait::created(c);
  return error;
}

PROF_EXPORT int pthread_cond_destroy(pthread_cond_t* c) noexcept {
  const int error = real_pthread_cond_destroy(c);
  if (error == 0) prof::wait::destroyed(c);
  return error;
}
