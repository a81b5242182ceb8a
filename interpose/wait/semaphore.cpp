// Semaphores, and System V semaphores and queues: waits with a timeout end at every handler, and are resumed when it
// was ours. Absolute timeouts can be passed again as they are.
//
// Of a semaphore that has something left, trying is the same as waiting, but for three things: a wait is a cancellation
// point even then, it refuses an impossible limit before it looks, and it leaves errno alone.
#include <pthread.h>
#include <semaphore.h>
#include <sys/msg.h>
#include <sys/sem.h>

#include "interpose/hook/hook.hpp"
#include "interpose/lock/lock.hpp"
#include "interpose/wait/timeout.hpp"

PROF_REAL_LATE(sem_wait);
PROF_REAL_LATE(sem_trywait);
PROF_REAL_LATE(sem_timedwait);
PROF_REAL_LATE_AS(sem_clockwait, int(sem_t*, clockid_t, const timespec*));
PROF_REAL_LATE(sem_init);
PROF_REAL_LATE(sem_destroy);
PROF_REAL_LATE(semop);
PROF_REAL_LATE(semtimedop);
PROF_REAL_LATE(msgsnd);
PROF_REAL_LATE(msgrcv);

PROF_WAIT_FUNCTION(sem_wait);
PROF_WAIT_FUNCTION(sem_timedwait);
PROF_WAIT_FUNCTION(sem_clockwait);
PROF_WAIT_FUNCTION(semop);
PROF_WAIT_FUNCTION(semtimedop);
PROF_WAIT_FUNCTION(msgsnd);
PROF_WAIT_FUNCTION(msgrcv);

namespace {

using prof::log::WaitClass;
using prof::wait::Call;
namespace locks = prof::locks;
namespace wait = prof::wait;

using Try = int (*)(sem_t*);
constinit Try g_try = nullptr;

int error_of(int result) { return result != 0 ? errno : 0; }

template <class Acquire>
[[gnu::always_inline]] inline int take(const wait::Function& function, sem_t* s, Acquire acquire) {
  if (g_try == nullptr) [[unlikely]]
    return prof::resumed(acquire);
  pthread_testcancel();
  const int kept = errno;
  if (g_try(s) == 0) [[likely]] {
    wait::uncontended(function);
    return 0;
  }
  errno = kept;
  return locks::waited<error_of>(function, s, prof::log::LockKind::Semaphore, 0, __builtin_return_address(0),
                                 [=] { return prof::resumed(acquire); });
}

}  // namespace

void prof::locks::begin_semaphores(bool recorded) { g_try = choose(recorded, real_sem_wait, real_sem_trywait); }

PROF_EXPORT int sem_wait(sem_t* s) {
  return take(function_sem_wait, s, [=] { return real_sem_wait(s); });
}

PROF_EXPORT int sem_timedwait(sem_t* s, const timespec* until) {
  if (!locks::is_time(until)) return real_sem_timedwait(s, until);
  return take(function_sem_timedwait, s, [=] { return real_sem_timedwait(s, until); });
}

PROF_EXPORT int sem_clockwait(sem_t* s, clockid_t clock, const timespec* until) {
  if (!locks::is_time(until) || !locks::is_clock_for_waits(clock)) return real_sem_clockwait(s, clock, until);
  return take(function_sem_clockwait, s, [=] { return real_sem_clockwait(s, clock, until); });
}

PROF_EXPORT int sem_init(sem_t* s, int shared, unsigned value) noexcept {
  const int r = real_sem_init(s, shared, value);
  if (r == 0) wait::created(s);
  return r;
}

PROF_EXPORT int sem_destroy(sem_t* s) noexcept {
  const int r = real_sem_destroy(s);
  if (r == 0) wait::destroyed(s);
  return r;
}

PROF_EXPORT int semop(int id, sembuf* operations, size_t n) noexcept {
  Call call(function_semop, WaitClass::Lock);
  const int r = prof::resumed([=] { return real_semop(id, operations, n); });
  call.done(error_of(r));
  return r;
}

PROF_EXPORT int semtimedop(int id, sembuf* operations, size_t n, const timespec* timeout) noexcept {
  Call call(function_semtimedop, WaitClass::Lock);
  const int r =
      prof::for_timespec(call, timeout, [=](const timespec* t) { return real_semtimedop(id, operations, n, t); });
  call.done(error_of(r));
  return r;
}

// Between processes, as through a pipe.
PROF_EXPORT int msgsnd(int id, const void* message, size_t bytes, int flags) {
  Call call(function_msgsnd, WaitClass::Pipe);
  const int r = prof::resumed([=] { return real_msgsnd(id, message, bytes, flags); });
  call.done(error_of(r), bytes);
  return r;
}

PROF_EXPORT ssize_t msgrcv(int id, void* message, size_t bytes, long type, int flags) {
  Call call(function_msgrcv, WaitClass::Pipe);
  const ssize_t r = prof::resumed([=] { return real_msgrcv(id, message, bytes, type, flags); });
  call.done(r < 0 ? errno : 0, r > 0 ? static_cast<std::uint64_t>(r) : 0);
  return r;
}
