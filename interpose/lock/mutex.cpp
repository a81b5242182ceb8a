// Mutexes, of POSIX and of C11, which are the same in glibc.
//
// Trying first is the same as locking for each type, as nptl has them:
//  * normal, adaptive, elided, process-shared: one exchange of the lock word; the spinning of an adaptive one, and the
//    deadlock of a normal one that its owner locks again, are the real function's.
//  * recursive: a trylock by the owner counts up as a lock does, with the same EAGAIN.
//  * errorcheck: a trylock by the owner says EBUSY or EDEADLK; the real function then says EDEADLK, without a wait.
//  * priority inheritance: an exchange of the lock word. Only the variant with a clock may refuse the clock before it
//    looks at the lock: there the lock word is looked at instead.
//  * priority protection: a trylock that fails leaves the caller with the raised priority. It is never tried.
//  * robust: a trylock that finds the mutex not recoverable leaves it locked for ever, where a lock would let it go. It
//    is never tried either.
// Destroyed mutexes have all bits of their type set, and go to the real function like the last ones.
#include <pthread.h>
#include <threads.h>

#include "interpose/lock/lock.hpp"

PROF_REAL(pthread_mutex_lock);
PROF_REAL(pthread_mutex_trylock);
PROF_REAL(pthread_mutex_timedlock);
PROF_REAL_AS(pthread_mutex_clocklock, int(pthread_mutex_t*, clockid_t, const timespec*));
PROF_REAL(pthread_mutex_init);
PROF_REAL(pthread_mutex_destroy);
PROF_REAL(mtx_lock);
PROF_REAL(mtx_timedlock);
PROF_REAL(mtx_init);
PROF_REAL(mtx_destroy);

PROF_WAIT_FUNCTION(pthread_mutex_lock);
PROF_WAIT_FUNCTION(pthread_mutex_timedlock);
PROF_WAIT_FUNCTION(pthread_mutex_clocklock);
PROF_WAIT_FUNCTION(mtx_lock);
PROF_WAIT_FUNCTION(mtx_timedlock);

namespace {

using prof::locks::LockKind;
namespace locks = prof::locks;
namespace wait = prof::wait;

using Try = int (*)(pthread_mutex_t*);
constinit Try g_try = nullptr;

// nptl's ABI, which static initialisers have laid down in programs.
constexpr int kTypeMask = 3, kRecursive = 1, kErrorCheck = 2, kRobust = 16, kInherit = 32, kProtect = 64;
constexpr int kUntried = kRobust | kProtect;
constexpr std::uint32_t kOwnerBits = 0x3fffffff, kCeilingBits = 0xfff80000;
constexpr int kNoOwner = 0x7ffffffe;  // this and the next number stand for a robust mutex whose owner died

int kind_of(const pthread_mutex_t* m) { return __atomic_load_n(&m->__data.__kind, __ATOMIC_RELAXED); }

std::uint32_t owner_of(const pthread_mutex_t* m) {
  const int owner = __atomic_load_n(&m->__data.__owner, __ATOMIC_RELAXED);
  return owner > 0 && owner < kNoOwner ? static_cast<std::uint32_t>(owner) : 0;
}

bool is_taken(const pthread_mutex_t* m) {
  const auto word = static_cast<std::uint32_t>(__atomic_load_n(&m->__data.__lock, __ATOMIC_RELAXED));
  return (word & ((kind_of(m) & kProtect) != 0 ? ~kCeilingBits : kOwnerBits)) != 0;
}

// Whether the caller owns it, and it knows what to do then.
bool is_own(const pthread_mutex_t* m) {
  const int type = kind_of(m) & kTypeMask;
  const std::uint32_t owner = owner_of(m);
  return (type == kRecursive || type == kErrorCheck) && owner != 0 && owner == locks::own_tid();
}

template <int (*error_of)(int), class Acquire>
[[gnu::noinline]] int wait_for(const wait::Function& function, const pthread_mutex_t* m, const void* caller,
                               Acquire acquire) {
  if (is_own(m)) return acquire();
  return locks::waited<error_of>(function, m, LockKind::Mutex, owner_of(m), caller, acquire);
}

template <int (*error_of)(int), class Acquire>
[[gnu::noinline]] int look_first(const wait::Function& function, const pthread_mutex_t* m, const void* caller,
                                 Acquire acquire) {
  if (is_taken(m) && !is_own(m)) return wait_for<error_of>(function, m, caller, acquire);
  const int result = acquire();
  if (error_of(result) == 0 || error_of(result) == EOWNERDEAD) wait::uncontended(function);
  return result;
}

// `untried`: bits of types for which the lock word is looked at instead of trying.
template <int (*error_of)(int) = locks::as_it_is, class Acquire>
[[gnu::always_inline]] inline int take(const wait::Function& function, pthread_mutex_t* m, int untried,
                                       Acquire acquire) {
  if (g_try == nullptr) [[unlikely]]
    return acquire();
  if ((kind_of(m) & untried) != 0) [[unlikely]]
    return look_first<error_of>(function, m, __builtin_return_address(0), acquire);
  const int error = g_try(m);
  if (error == 0) [[likely]] {
    wait::uncontended(function);
    return 0;
  }
  return error == EBUSY ? wait_for<error_of>(function, m, __builtin_return_address(0), acquire) : acquire();
}

}  // namespace

void prof::locks::begin_mutexes(bool recorded) {
  g_try = choose(recorded, real_pthread_mutex_lock, real_pthread_mutex_trylock);
}

PROF_EXPORT int pthread_mutex_lock(pthread_mutex_t* m) noexcept {
  return take(function_pthread_mutex_lock, m, kUntried, [=] { return real_pthread_mutex_lock(m); });
}

PROF_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* m, const timespec* until) noexcept {
  return take(function_pthread_mutex_timedlock, m, kUntried, [=] { return real_pthread_mutex_timedlock(m, until); });
}

PROF_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* m, clockid_t clock, const timespec* until) noexcept {
  if (!locks::is_clock_for_waits(clock)) return real_pthread_mutex_clocklock(m, clock, until);
  return take(function_pthread_mutex_clocklock, m, kUntried | kInherit,
              [=] { return real_pthread_mutex_clocklock(m, clock, until); });
}

PROF_EXPORT int pthread_mutex_init(pthread_mutex_t* m, const pthread_mutexattr_t* attributes) noexcept {
  const int error = real_pthread_mutex_init(m, attributes);
  if (error == 0) wait::created(m);
  return error;
}

PROF_EXPORT int pthread_mutex_destroy(pthread_mutex_t* m) noexcept {
  const int error = real_pthread_mutex_destroy(m);
  if (error == 0) wait::destroyed(m);
  return error;
}

// A mtx_t is a pthread_mutex_t, and never a robust one.
PROF_EXPORT int mtx_lock(mtx_t* m) {
  return take<locks::error_of_c11>(function_mtx_lock, reinterpret_cast<pthread_mutex_t*>(m), kUntried,
                                   [=] { return real_mtx_lock(m); });
}

PROF_EXPORT int mtx_timedlock(mtx_t* __restrict m, const timespec* __restrict until) {
  return take<locks::error_of_c11>(function_mtx_timedlock, reinterpret_cast<pthread_mutex_t*>(m), kUntried,
                                   [=] { return real_mtx_timedlock(m, until); });
}

PROF_EXPORT int mtx_init(mtx_t* m, int type) {
  const int result = real_mtx_init(m, type);
  if (result == thrd_success) wait::created(m);
  return result;
}

PROF_EXPORT void mtx_destroy(mtx_t* m) {
  real_mtx_destroy(m);
  wait::destroyed(m);
}
