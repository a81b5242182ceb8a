// Semaphores and System V queues: waits with a timeout end at every handler. Absolute timeouts can be passed again as
// they are.
#include <semaphore.h>
#include <sys/msg.h>
#include <sys/sem.h>

#include "interpose/hook.hpp"
#include "interpose/wait/resume.hpp"

PROF_REAL(sem_wait);
PROF_REAL(sem_timedwait);
PROF_REAL_AS(sem_clockwait, int(sem_t*, clockid_t, const timespec*));
PROF_REAL(semop);
PROF_REAL(semtimedop);
PROF_REAL(msgsnd);
PROF_REAL(msgrcv);

PROF_EXPORT int sem_wait(sem_t* s) {
  return prof::resumed([=] { return real_sem_wait(s); });
}

PROF_EXPORT int sem_timedwait(sem_t* s, const timespec* until) {
  return prof::resumed([=] { return real_sem_timedwait(s, until); });
}

PROF_EXPORT int sem_clockwait(sem_t* s, clockid_t clock, const timespec* until) {
  return prof::resumed([=] { return real_sem_clockwait(s, clock, until); });
}

PROF_EXPORT int semop(int id, sembuf* operations, size_t n) noexcept {
  return prof::resumed([=] { return real_semop(id, operations, n); });
}

PROF_EXPORT int semtimedop(int id, sembuf* operations, size_t n, const timespec* timeout) noexcept {
  if (timeout == nullptr || !prof::valid(*timeout))
    return prof::resumed([=] { return real_semtimedop(id, operations, n, timeout); });
  const prof::Remaining remaining(prof::nanoseconds(*timeout));
  prof::Interruptions interruptions;
  int r = real_semtimedop(id, operations, n, timeout);
  while (r < 0 && interruptions.by_tick()) {
    const timespec rest = prof::to_timespec(remaining.ns());
    r = real_semtimedop(id, operations, n, &rest);
  }
  return r;
}

PROF_EXPORT int msgsnd(int id, const void* message, size_t bytes, int flags) {
  return prof::resumed([=] { return real_msgsnd(id, message, bytes, flags); });
}

PROF_EXPORT ssize_t msgrcv(int id, void* message, size_t bytes, long type, int flags) {
  return prof::resumed([=] { return real_msgrcv(id, message, bytes, type, flags); });
}
