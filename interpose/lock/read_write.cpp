// Read-write locks. Trying is the same as taking where nobody has to be waited for, whomever the lock prefers. A thread
// that holds it for writing and asks again gets EDEADLK, from the real function and without a wait. The variants with a
// limit refuse an impossible limit before they look at the lock, so with one of those there is no trying.
#include <pthread.h>

#include "interpose/lock/lock.hpp"

PROF_REAL(pthread_rwlock_rdlock);
PROF_REAL(pthread_rwlock_wrlock);
PROF_REAL(pthread_rwlock_tryrdlock);
PROF_REAL(pthread_rwlock_trywrlock);
PROF_REAL(pthread_rwlock_timedrdlock);
PROF_REAL(pthread_rwlock_timedwrlock);
PROF_REAL_AS(pthread_rwlock_clockrdlock, int(pthread_rwlock_t*, clockid_t, const timespec*));
PROF_REAL_AS(pthread_rwlock_clockwrlock, int(pthread_rwlock_t*, clockid_t, const timespec*));
PROF_REAL(pthread_rwlock_init);
PROF_REAL(pthread_rwlock_destroy);

PROF_WAIT_FUNCTION(pthread_rwlock_rdlock);
PROF_WAIT_FUNCTION(pthread_rwlock_wrlock);
PROF_WAIT_FUNCTION(pthread_rwlock_timedrdlock);
PROF_WAIT_FUNCTION(pthread_rwlock_timedwrlock);
PROF_WAIT_FUNCTION(pthread_rwlock_clockrdlock);
PROF_WAIT_FUNCTION(pthread_rwlock_clockwrlock);

namespace {

using prof::locks::LockKind;
namespace locks = prof::locks;
namespace wait = prof::wait;

using Try = int (*)(pthread_rwlock_t*);
constinit Try g_try_read = nullptr, g_try_write = nullptr;

template <class Acquire>
[[gnu::noinline]] int wait_for(const wait::Function& function, const pthread_rwlock_t* l, const void* caller,
                               Acquire acquire) {
  const int writer = __atomic_load_n(&l->__data.__cur_writer, __ATOMIC_RELAXED);
  const std::uint32_t holder = writer > 0 ? static_cast<std::uint32_t>(writer) : 0;
  if (holder != 0 && holder == locks::own_tid()) return acquire();
  return locks::waited(function, l, LockKind::ReadWrite, holder, caller, acquire);
}

template <class Acquire>
[[gnu::always_inline]] inline int take(Try try_it, const wait::Function& function, pthread_rwlock_t* l,
                                       Acquire acquire) {
  if (try_it == nullptr) [[unlikely]]
    return acquire();
  const int error = try_it(l);
  if (error == 0) [[likely]] {
    wait::uncontended(function);
    return 0;
  }
  return error == EBUSY ? wait_for(function, l, __builtin_return_address(0), acquire) : acquire();
}

}  // namespace

void prof::locks::begin_read_write_locks(bool recorded) {
  g_try_read = choose(recorded, real_pthread_rwlock_rdlock, real_pthread_rwlock_tryrdlock);
  g_try_write = choose(recorded, real_pthread_rwlock_wrlock, real_pthread_rwlock_trywrlock);
}

PROF_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* l) noexcept {
  return take(g_try_read, function_pthread_rwlock_rdlock, l, [=] { return real_pthread_rwlock_rdlock(l); });
}

PROF_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* l) noexcept {
  return take(g_try_write, function_pthread_rwlock_wrlock, l, [=] { return real_pthread_rwlock_wrlock(l); });
}

PROF_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t* l, const timespec* until) noexcept {
  if (!locks::is_time(until)) return real_pthread_rwlock_timedrdlock(l, until);
  return take(g_try_read, function_pthread_rwlock_timedrdlock, l,
              [=] { return real_pthread_rwlock_timedrdlock(l, until); });
}

PROF_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t* l, const timespec* until) noexcept {
  if (!locks::is_time(until)) return real_pthread_rwlock_timedwrlock(l, until);
  return take(g_try_write, function_pthread_rwlock_timedwrlock, l,
              [=] { return real_pthread_rwlock_timedwrlock(l, until); });
}

PROF_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t* l, clockid_t clock, const timespec* until) noexcept {
  if (!locks::is_time(until) || !locks::is_clock_for_waits(clock))
    return real_pthread_rwlock_clockrdlock(l, clock, until);
  return take(g_try_read, function_pthread_rwlock_clockrdlock, l,
              [=] { return real_pthread_rwlock_clockrdlock(l, clock, until); });
}

PROF_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t* l, clockid_t clock, const timespec* until) noexcept {
  if (!locks::is_time(until) || !locks::is_clock_for_waits(clock))
    return real_pthread_rwlock_clockwrlock(l, clock, until);
  return take(g_try_write, function_pthread_rwlock_clockwrlock, l,
              [=] { return real_pthread_rwlock_clockwrlock(l, clock, until); });
}

PROF_EXPORT int pthread_rwlock_init(pthread_rwlock_t* l, const pthread_rwlockattr_t* attributes) noexcept {
  const int error = real_pthread_rwlock_init(l, attributes);
  if (error == 0) wait::created(l);
  return error;
}

PROF_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t* l) noexcept {
  const int error = real_pthread_rwlock_destroy(l);
  if (error == 0) wait::destroyed(l);
  return error;
}
