// Spin locks. Who waits for one burns CPU time, which its ticks then find in this call: no time of it is blocked but
// what others had the CPU.
#include <pthread.h>

#include "interpose/lock/lock.hpp"

PROF_REAL_AS(pthread_spin_lock, int(pthread_spinlock_t*));
PROF_REAL_AS(pthread_spin_trylock, int(pthread_spinlock_t*));

PROF_WAIT_FUNCTION(pthread_spin_lock);

using Try = int (*)(pthread_spinlock_t*);
static constinit Try g_try = nullptr;

void prof::locks::begin_spin_locks(bool recorded) {
  g_try = choose(recorded, real_pthread_spin_lock, real_pthread_spin_trylock);
}

PROF_EXPORT int pthread_spin_lock(pthread_spinlock_t* l) noexcept {
  if (g_try == nullptr) [[unlikely]]
    return real_pthread_spin_lock(l);
  if (g_try(l) == 0) [[likely]] {
    prof::wait::uncontended(function_pthread_spin_lock);
    return 0;
  }
  return prof::locks::waited(function_pthread_spin_lock, const_cast<const int*>(l), prof::log::LockKind::Spin, 0,
                             __builtin_return_address(0), [=] { return real_pthread_spin_lock(l); });
}
