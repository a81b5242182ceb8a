// Every kind of lock answers as POSIX and glibc have it: errors, owners that died, limits that have passed or make no
// sense, and errno that stays as it was.
#include <semaphore.h>

#include "victim.h"

static struct timespec in_ms(clockid_t clock, long ms) {
  const int64_t at = clock_ns(clock) + ms * 1000000;
  return (struct timespec){at / 1000000000, at % 1000000000};
}
static const struct timespec impossible = {0, 1000000000};

static void make(pthread_mutex_t* m, int type, int robust, int protocol, int shared) {
  pthread_mutexattr_t a;
  EXPECT(pthread_mutexattr_init(&a) == 0);
  EXPECT(pthread_mutexattr_settype(&a, type) == 0);
  EXPECT(pthread_mutexattr_setrobust(&a, robust) == 0);
  EXPECT(pthread_mutexattr_setprotocol(&a, protocol) == 0);
  EXPECT(pthread_mutexattr_setpshared(&a, shared) == 0);
  EXPECT(pthread_mutex_init(m, &a) == 0);
  EXPECT(pthread_mutexattr_destroy(&a) == 0);
}

static void* lock_and_die(void* m) {
  EXPECT(pthread_mutex_lock(m) == 0);
  return NULL;
}
// Tries with a limit while another one holds it.
static void* must_time_out(void* m) {
  struct timespec until = in_ms(CLOCK_REALTIME, 20);
  EXPECT(pthread_mutex_trylock(m) == EBUSY);
  EXPECT(pthread_mutex_timedlock(m, &until) == ETIMEDOUT);
  EXPECT(pthread_mutex_clocklock(m, CLOCK_REALTIME, &until) == ETIMEDOUT);
  until = in_ms(CLOCK_MONOTONIC, 20);
  const int error = pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &until);
  EXPECT(error == ETIMEDOUT || error == EINVAL);  // EINVAL: no such wait with priority inheritance in older kernels
  EXPECT(pthread_mutex_timedlock(m, &impossible) == EINVAL);
  return NULL;
}
static void in_thread(void* (*f)(void*), void* argument) {
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, f, argument) == 0);
  EXPECT(pthread_join(thread, NULL) == 0);
}

static void by_type(int robust, int protocol) {
  static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK,
                              PTHREAD_MUTEX_ADAPTIVE_NP};
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
    pthread_mutex_t m;
    make(&m, types[i], robust, protocol, PTHREAD_PROCESS_PRIVATE);
    struct timespec until = in_ms(CLOCK_REALTIME, 5);
    errno = 4711;
    EXPECT(pthread_mutex_lock(&m) == 0);
    switch (types[i]) {
      case PTHREAD_MUTEX_RECURSIVE:
        EXPECT(pthread_mutex_lock(&m) == 0 && pthread_mutex_timedlock(&m, &until) == 0);
        EXPECT(pthread_mutex_unlock(&m) == 0 && pthread_mutex_unlock(&m) == 0);
        break;
      case PTHREAD_MUTEX_ERRORCHECK:
        EXPECT(pthread_mutex_lock(&m) == EDEADLK && pthread_mutex_timedlock(&m, &until) == EDEADLK);
        break;
      default:
        if (protocol != PTHREAD_PRIO_PROTECT) {
          const int error = pthread_mutex_timedlock(&m, &until);
          EXPECT(error == ETIMEDOUT || (protocol == PTHREAD_PRIO_INHERIT && error == EDEADLK));
        }
    }
    EXPECT(errno == 4711);
    if (protocol != PTHREAD_PRIO_PROTECT) in_thread(must_time_out, &m);
    EXPECT(pthread_mutex_unlock(&m) == 0);
    // A limit that is of no use to a lock that is free.
    EXPECT(pthread_mutex_timedlock(&m, &impossible) == 0 && pthread_mutex_unlock(&m) == 0);
    EXPECT(pthread_mutex_clocklock(&m, CLOCK_PROCESS_CPUTIME_ID, &until) == EINVAL);
    EXPECT(errno == 4711);
    EXPECT(pthread_mutex_destroy(&m) == 0);
    EXPECT(pthread_mutex_lock(&m) == EINVAL);
    if (robust != PTHREAD_MUTEX_ROBUST) continue;
    make(&m, types[i], robust, protocol, PTHREAD_PROCESS_PRIVATE);
    in_thread(lock_and_die, &m);
    EXPECT(pthread_mutex_lock(&m) == EOWNERDEAD && pthread_mutex_consistent(&m) == 0);
    EXPECT(pthread_mutex_unlock(&m) == 0 && pthread_mutex_lock(&m) == 0 && pthread_mutex_unlock(&m) == 0);
    in_thread(lock_and_die, &m);
    EXPECT(pthread_mutex_timedlock(&m, &until) == EOWNERDEAD && pthread_mutex_unlock(&m) == 0);
    EXPECT(pthread_mutex_lock(&m) == ENOTRECOVERABLE && pthread_mutex_timedlock(&m, &until) == ENOTRECOVERABLE);
  }
}

// Whoever waits for it when its owner dies gets it as well.
static pthread_mutex_t inherited;
static void* dies_later(void* unused) {
  EXPECT(pthread_mutex_lock(&inherited) == 0);
  const struct timespec t = {0, 60000000};
  nanosleep(&t, NULL);
  return unused;
}
static void owner_dies_while_waited_for(int protocol) {
  make(&inherited, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, protocol, PTHREAD_PROCESS_PRIVATE);
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, dies_later, NULL) == 0);
  while (pthread_mutex_trylock(&inherited) == 0) {
    EXPECT(pthread_mutex_unlock(&inherited) == 0);
    usleep(100);
  }
  EXPECT(pthread_mutex_lock(&inherited) == EOWNERDEAD && pthread_mutex_consistent(&inherited) == 0);
  EXPECT(pthread_mutex_unlock(&inherited) == 0 && pthread_join(thread, NULL) == 0);
}

static void between_processes(int robust) {
  pthread_mutex_t* m = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  EXPECT(m != MAP_FAILED);
  make(m, PTHREAD_MUTEX_NORMAL, robust, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_SHARED);
  int ready[2];
  EXPECT(pipe(ready) == 0);
  const pid_t child = fork();
  EXPECT(child >= 0);
  if (child == 0) {
    EXPECT(pthread_mutex_lock(m) == 0);
    EXPECT(write(ready[1], "", 1) == 1);
    usleep(80000);
    if (robust == PTHREAD_MUTEX_ROBUST) _exit(0);
    EXPECT(pthread_mutex_unlock(m) == 0);
    _exit(0);
  }
  char byte;
  EXPECT(read(ready[0], &byte, 1) == 1);
  const int64_t began = now_ns();
  EXPECT(pthread_mutex_lock(m) == (robust == PTHREAD_MUTEX_ROBUST ? EOWNERDEAD : 0));
  EXPECT(now_ns() - began > 20000000);
  EXPECT(pthread_mutex_unlock(m) == 0);
  int status;
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
}

static void* read_locks(void* l) {
  struct timespec until = in_ms(CLOCK_REALTIME, 20);
  EXPECT(pthread_rwlock_timedrdlock(l, &until) == ETIMEDOUT);
  EXPECT(pthread_rwlock_timedwrlock(l, &until) == ETIMEDOUT);
  until = in_ms(CLOCK_MONOTONIC, 20);
  EXPECT(pthread_rwlock_clockrdlock(l, CLOCK_MONOTONIC, &until) == ETIMEDOUT);
  EXPECT(pthread_rwlock_clockwrlock(l, CLOCK_MONOTONIC, &until) == ETIMEDOUT);
  return NULL;
}
static void read_write_locks(void) {
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  const struct timespec far = in_ms(CLOCK_REALTIME, 100000);
  errno = 4711;
  EXPECT(pthread_rwlock_timedrdlock(&l, &impossible) == EINVAL &&
         pthread_rwlock_timedwrlock(&l, &impossible) == EINVAL);
  EXPECT(pthread_rwlock_clockrdlock(&l, CLOCK_PROCESS_CPUTIME_ID, &far) == EINVAL);
  EXPECT(pthread_rwlock_wrlock(&l) == 0);
  EXPECT(pthread_rwlock_rdlock(&l) == EDEADLK && pthread_rwlock_wrlock(&l) == EDEADLK);
  EXPECT(pthread_rwlock_timedrdlock(&l, &far) == EDEADLK && pthread_rwlock_timedwrlock(&l, &far) == EDEADLK);
  EXPECT(errno == 4711);
  in_thread(read_locks, &l);
  EXPECT(pthread_rwlock_unlock(&l) == 0);
  EXPECT(pthread_rwlock_rdlock(&l) == 0 && pthread_rwlock_timedrdlock(&l, &far) == 0);
  EXPECT(pthread_rwlock_unlock(&l) == 0 && pthread_rwlock_unlock(&l) == 0);
}

static void* post_later(void* s) {
  usleep(30000);
  EXPECT(sem_post(s) == 0);
  return NULL;
}
static void semaphores(void) {
  sem_t s;
  EXPECT(sem_init(&s, 0, 2) == 0);
  errno = 4711;
  EXPECT(sem_wait(&s) == 0 && errno == 4711);
  EXPECT(sem_timedwait(&s, &impossible) == -1 && errno == EINVAL);
  const struct timespec far = in_ms(CLOCK_REALTIME, 100000);
  EXPECT(sem_clockwait(&s, CLOCK_PROCESS_CPUTIME_ID, &far) == -1 && errno == EINVAL);
  errno = 4711;
  EXPECT(sem_clockwait(&s, CLOCK_REALTIME, &far) == 0 && errno == 4711);
  struct timespec until = in_ms(CLOCK_MONOTONIC, 10);
  EXPECT(sem_clockwait(&s, CLOCK_MONOTONIC, &until) == -1 && errno == ETIMEDOUT);
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, post_later, &s) == 0);
  errno = 4711;
  EXPECT(sem_wait(&s) == 0 && errno == 4711);  // what trying first may have left there is not the caller's
  EXPECT(pthread_join(thread, NULL) == 0);
  EXPECT(sem_destroy(&s) == 0);
}

static void* nothing(void* unused) {
  usleep(40000);
  return unused;
}
static void joins(void) {
  pthread_t thread;
  EXPECT(pthread_join(pthread_self(), NULL) == EDEADLK);
  EXPECT(pthread_create(&thread, NULL, nothing, "") == 0);
  struct timespec until = in_ms(CLOCK_REALTIME, 5);
  EXPECT(pthread_timedjoin_np(thread, NULL, &until) == ETIMEDOUT);
  until = in_ms(CLOCK_MONOTONIC, 5);
  EXPECT(pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &until) == ETIMEDOUT);
  void* result = NULL;
  EXPECT(pthread_join(thread, &result) == 0 && result != NULL);
}

int main(void) {
  by_type(PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
  by_type(PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
  by_type(PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT);
  by_type(PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_INHERIT);
  owner_dies_while_waited_for(PTHREAD_PRIO_NONE);
  owner_dies_while_waited_for(PTHREAD_PRIO_INHERIT);
  between_processes(PTHREAD_MUTEX_STALLED);
  between_processes(PTHREAD_MUTEX_ROBUST);
  read_write_locks();
  semaphores();
  joins();
  // Only who may run at the priority that a mutex lends gets such a mutex.
  pthread_mutex_t m;
  make(&m, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_PROTECT, PTHREAD_PROCESS_PRIVATE);
  const int error = pthread_mutex_lock(&m);
  fact("protected", error);
  if (error == 0) {
    EXPECT(pthread_mutex_unlock(&m) == 0);
    by_type(PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_PROTECT);
  }
  return 0;
}
