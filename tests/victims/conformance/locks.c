// Mutexes of all kinds, read-write locks, spin locks, barriers and C11's threads.
#include <stdatomic.h>
#include <threads.h>

#include "conform.h"

static void* run(void* (*routine)(void*), void* argument) {
  pthread_t thread;
  void* result = NULL;
  EXPECT(pthread_create(&thread, NULL, routine, argument) == 0 && pthread_join(thread, &result) == 0);
  return result;
}
static void nap_ms(long ms) {
  const struct timespec span = span_ms(ms);
  nanosleep(&span, NULL);
}

static pthread_mutex_t made(int type, int protocol, int robust, int shared) {
  pthread_mutex_t mutex;
  pthread_mutexattr_t attributes;
  EXPECT(pthread_mutexattr_init(&attributes) == 0 && pthread_mutexattr_settype(&attributes, type) == 0);
  EXPECT(pthread_mutexattr_setprotocol(&attributes, protocol) == 0);
  EXPECT(pthread_mutexattr_setrobust(&attributes, robust) == 0);
  EXPECT(pthread_mutexattr_setpshared(&attributes, shared) == 0);
  EXPECT(pthread_mutex_init(&mutex, &attributes) == 0 && pthread_mutexattr_destroy(&attributes) == 0);
  return mutex;
}

static void* other_trylock(void* m) {
  const int r = pthread_mutex_trylock(m);
  if (r == 0) pthread_mutex_unlock(m);
  return (void*)(long)r;
}
static void* other_unlock(void* m) { return (void*)(long)pthread_mutex_unlock(m); }
static void* other_timed(void* m) {
  const struct timespec at = after_ms(CLOCK_REALTIME, 8);
  return (void*)(long)pthread_mutex_timedlock(m, &at);
}
static void* other_clock(void* m) {
  const struct timespec at = after_ms(CLOCK_MONOTONIC, 8);
  return (void*)(long)pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &at);
}
static void* dies_with(void* m) {
  EXPECT(pthread_mutex_lock(m) == 0);
  return NULL;
}

static long counter;
static void* counts(void* m) {
  for (int i = 0; i < 3000; ++i) {
    EXPECT(pthread_mutex_lock(m) == 0);
    const long seen = counter;
    if (i % 100 == 0) sched_yield();
    counter = seen + 1;
    EXPECT(pthread_mutex_unlock(m) == 0);
  }
  return NULL;
}

static void mutex_of(const char* kind, pthread_mutex_t mutex, int again, int try_again, int foreign_unlock,
                     bool robust) {
  char name[100];
#define NAMED(what) (snprintf(name, sizeof name, "%s: %s", kind, what), name)
  pthread_mutex_t* m = malloc(sizeof mutex);
  *m = mutex;
  IS(NAMED("lock"), pthread_mutex_lock(m), 0);
  if (again >= 0) {
    IS(NAMED("lock again"), pthread_mutex_lock(m), again);
    if (again == 0) IS(NAMED("unlock once"), pthread_mutex_unlock(m), 0);
    IS(NAMED("trylock again"), pthread_mutex_trylock(m), try_again);
    if (again == 0) IS(NAMED("unlock twice"), pthread_mutex_unlock(m), 0);
  }
  IS(NAMED("trylock of another"), (long)run(other_trylock, m), EBUSY);
  const int64_t start = now_ns();
  IS(NAMED("timedlock of another"), (long)run(other_timed, m), ETIMEDOUT);
  HOLDS(NAMED("not before its time"), now_ns() - start >= 7900000);
  IS(NAMED("clocklock of another"), (long)run(other_clock, m), ETIMEDOUT);
  if (foreign_unlock >= 0) IS(NAMED("unlock of another"), (long)run(other_unlock, m), foreign_unlock);
  IS(NAMED("timedlock of a bad time"),
     (pthread_mutex_unlock(m), pthread_mutex_lock(m),
      pthread_mutex_timedlock(m, &(struct timespec){.tv_sec = 1, .tv_nsec = -1}) != 0 ? 1 : pthread_mutex_unlock(m)),
     again == 0 ? 0 : 1);
  IS(NAMED("unlock"), pthread_mutex_unlock(m), 0);
  if (foreign_unlock >= 0) IS(NAMED("unlock when unlocked"), pthread_mutex_unlock(m), EPERM);
  pthread_t thread[3];
  counter = 0;
  for (int i = 0; i < 3; ++i) EXPECT(pthread_create(&thread[i], NULL, counts, m) == 0);
  for (int i = 0; i < 3; ++i) pthread_join(thread[i], NULL);
  IS(NAMED("one at a time"), counter, 9000);
  if (robust) {
    run(dies_with, m);
    IS(NAMED("its owner died"), pthread_mutex_lock(m), EOWNERDEAD);
    IS(NAMED("made consistent"), pthread_mutex_consistent(m), 0);
    IS(NAMED("unlocked after that"), pthread_mutex_unlock(m), 0);
    run(dies_with, m);
    IS(NAMED("trylock when its owner died"), pthread_mutex_trylock(m), EOWNERDEAD);
    IS(NAMED("unlocked without that"), pthread_mutex_unlock(m), 0);
    IS(NAMED("not recoverable"), pthread_mutex_lock(m), ENOTRECOVERABLE);
  }
  IS(NAMED("destroy"), pthread_mutex_destroy(m), 0);
  free(m);
}

static void mutexes(void) {
  enum { None = PTHREAD_PRIO_NONE, Inherit = PTHREAD_PRIO_INHERIT };
  enum { Stalled = PTHREAD_MUTEX_STALLED, Robust = PTHREAD_MUTEX_ROBUST };
  enum { Private = PTHREAD_PROCESS_PRIVATE, Shared = PTHREAD_PROCESS_SHARED };
  mutex_of("normal", made(PTHREAD_MUTEX_NORMAL, None, Stalled, Private), -1, -1, -1, false);
  mutex_of("static", (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER, -1, -1, -1, false);
  mutex_of("adaptive", made(PTHREAD_MUTEX_ADAPTIVE_NP, None, Stalled, Private), -1, -1, -1, false);
  mutex_of("recursive", made(PTHREAD_MUTEX_RECURSIVE, None, Stalled, Private), 0, 0, EPERM, false);
  mutex_of("errorcheck", made(PTHREAD_MUTEX_ERRORCHECK, None, Stalled, Private), EDEADLK, EBUSY, EPERM, false);
  mutex_of("priority", made(PTHREAD_MUTEX_ERRORCHECK, Inherit, Stalled, Private), EDEADLK, EDEADLK, EPERM, false);
  mutex_of("shared", made(PTHREAD_MUTEX_NORMAL, None, Stalled, Shared), -1, -1, -1, false);
  mutex_of("robust", made(PTHREAD_MUTEX_ERRORCHECK, None, Robust, Private), EDEADLK, EDEADLK, EPERM, true);
  mutex_of("robust shared recursive", made(PTHREAD_MUTEX_RECURSIVE, None, Robust, Shared), 0, 0, EPERM, true);
  mutex_of("robust priority", made(PTHREAD_MUTEX_ERRORCHECK, Inherit, Robust, Private), EDEADLK, EDEADLK, EPERM, true);
  pthread_mutex_t* both = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  *both = made(PTHREAD_MUTEX_NORMAL, None, Robust, Shared);
  const pid_t child = fork();
  if (child == 0) {
    pthread_mutex_lock(both);
    _exit(3);
  }
  int status = 0;
  EXPECT(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
  IS("a process died with it", pthread_mutex_lock(both), EOWNERDEAD);
}

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int state;
static void* tries_read(void* unused) {
  (void)unused;
  const int r = pthread_rwlock_tryrdlock(&rwlock);
  if (r == 0) pthread_rwlock_unlock(&rwlock);
  return (void*)(long)r;
}
static void* tries_write(void* unused) {
  (void)unused;
  const int r = pthread_rwlock_trywrlock(&rwlock);
  if (r == 0) pthread_rwlock_unlock(&rwlock);
  return (void*)(long)r;
}
static void* writes(void* unused) {
  state = 1;
  EXPECT(pthread_rwlock_wrlock(&rwlock) == 0);
  state = 2;
  EXPECT(pthread_rwlock_unlock(&rwlock) == 0);
  return unused;
}
static void* times_out(void* how) {
  const struct timespec real = after_ms(CLOCK_REALTIME, 8), steady = after_ms(CLOCK_MONOTONIC, 8);
  switch ((long)how) {
    case 0:
      return (void*)(long)pthread_rwlock_timedrdlock(&rwlock, &real);
    case 1:
      return (void*)(long)pthread_rwlock_timedwrlock(&rwlock, &real);
    case 2:
      return (void*)(long)pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &steady);
    default:
      return (void*)(long)pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &steady);
  }
}

static void rwlocks(void) {
  IS("rdlock", pthread_rwlock_rdlock(&rwlock), 0);
  IS("rdlock again", pthread_rwlock_rdlock(&rwlock), 0);
  IS("tryrdlock of another", (long)run(tries_read, NULL), 0);
  IS("trywrlock of another", (long)run(tries_write, NULL), EBUSY);
  IS("timedwrlock", (long)run(times_out, (void*)1), ETIMEDOUT);
  IS("clockwrlock", (long)run(times_out, (void*)3), ETIMEDOUT);
  IS("unlock", pthread_rwlock_unlock(&rwlock) + pthread_rwlock_unlock(&rwlock), 0);
  IS("wrlock", pthread_rwlock_wrlock(&rwlock), 0);
  IS("wrlock again", pthread_rwlock_wrlock(&rwlock), EDEADLK);
  IS("rdlock below it", pthread_rwlock_rdlock(&rwlock), EDEADLK);
  IS("timedrdlock", (long)run(times_out, (void*)0), ETIMEDOUT);
  IS("clockrdlock", (long)run(times_out, (void*)2), ETIMEDOUT);
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, writes, NULL) == 0);
  while (state == 0) sched_yield();
  nap_ms(5);
  IS("a writer waits", state, 1);
  IS("unlock", pthread_rwlock_unlock(&rwlock), 0);
  pthread_join(thread, NULL);
  IS("and writes", state, 2);
  // By default readers go first; of this kind a writer that waits does.
  for (int prefer_writers = 0; prefer_writers <= 1; ++prefer_writers) {
    pthread_rwlockattr_t attributes;
    EXPECT(pthread_rwlockattr_init(&attributes) == 0);
    if (prefer_writers) {
      EXPECT(pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) == 0);
    }
    EXPECT(pthread_rwlock_destroy(&rwlock) == 0 && pthread_rwlock_init(&rwlock, &attributes) == 0);
    EXPECT(pthread_rwlock_rdlock(&rwlock) == 0);
    state = 0;
    EXPECT(pthread_create(&thread, NULL, writes, NULL) == 0);
    while (state == 0) sched_yield();
    nap_ms(5);
    IS(prefer_writers ? "readers wait behind a writer" : "readers pass a writer", (long)run(tries_read, NULL),
       prefer_writers ? EBUSY : 0);
    EXPECT(pthread_rwlock_unlock(&rwlock) == 0 && pthread_join(thread, NULL) == 0);
  }
}

static pthread_barrier_t barrier;
static atomic_int serials, arrived;
static void* arrives(void* unused) {
  for (int i = 0; i < 20; ++i) {
    ++arrived;
    const int r = pthread_barrier_wait(&barrier);
    EXPECT(arrived >= 3 * (i + 1));
    if (r == PTHREAD_BARRIER_SERIAL_THREAD)
      ++serials;
    else
      EXPECT(r == 0);
  }
  return unused;
}

static pthread_spinlock_t spin;
static void* spins(void* unused) {
  for (int i = 0; i < 3000; ++i) {
    pthread_spin_lock(&spin);
    ++counter;
    pthread_spin_unlock(&spin);
  }
  return unused;
}
static void* tries_spin(void* unused) {
  (void)unused;
  return (void*)(long)pthread_spin_trylock(&spin);
}

static void barriers_and_spins(void) {
  pthread_t thread[3];
  IS("a barrier for nobody", pthread_barrier_init(&barrier, NULL, 0), EINVAL);
  EXPECT(pthread_barrier_init(&barrier, NULL, 3) == 0);
  for (int i = 0; i < 3; ++i) EXPECT(pthread_create(&thread[i], NULL, arrives, NULL) == 0);
  for (int i = 0; i < 3; ++i) pthread_join(thread[i], NULL);
  IS("one serial thread a round", serials, 20);
  IS("barrier destroyed", pthread_barrier_destroy(&barrier), 0);
  EXPECT(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
  counter = 0;
  for (int i = 0; i < 3; ++i) EXPECT(pthread_create(&thread[i], NULL, spins, NULL) == 0);
  for (int i = 0; i < 3; ++i) pthread_join(thread[i], NULL);
  IS("spin lock", counter, 9000);
  pthread_spin_lock(&spin);
  IS("spin trylock", (long)run(tries_spin, NULL), EBUSY);
  IS("spin unlock", pthread_spin_unlock(&spin), 0);
}

static mtx_t mtx;
static cnd_t cnd;
static int ready;
static int c11_thread(void* unused) {
  (void)unused;
  EXPECT(mtx_lock(&mtx) == thrd_success);
  ready = 1;
  EXPECT(cnd_signal(&cnd) == thrd_success && mtx_unlock(&mtx) == thrd_success);
  return 17;
}

static void c11(void) {
  thrd_t thread;
  int result = 0;
  EXPECT(mtx_init(&mtx, mtx_timed | mtx_recursive) == thrd_success && cnd_init(&cnd) == thrd_success);
  IS("mtx_lock", mtx_lock(&mtx), thrd_success);
  IS("mtx_trylock again", mtx_trylock(&mtx), thrd_success);
  IS("mtx_unlock", mtx_unlock(&mtx), thrd_success);
  EXPECT(thrd_create(&thread, c11_thread, NULL) == thrd_success);
  while (!ready) EXPECT(cnd_wait(&cnd, &mtx) == thrd_success);
  IS("cnd_wait", ready, 1);
  struct timespec at = after_ms(CLOCK_REALTIME, 5);
  int timed = thrd_success;
  while (timed == thrd_success) timed = cnd_timedwait(&cnd, &mtx, &at);
  IS("cnd_timedwait", timed, thrd_timedout);
  IS("mtx_timedlock", mtx_timedlock(&mtx, &at), thrd_success);
  mtx_unlock(&mtx), mtx_unlock(&mtx);
  IS("thrd_join", thrd_join(thread, &result), thrd_success);
  IS("its result", result, 17);
  IS("thrd_sleep", thrd_sleep(&(struct timespec){.tv_nsec = 2000000}, NULL), 0);
  mtx_destroy(&mtx), cnd_destroy(&cnd);
}

int main(void) {
  burn_beside(1);
  mutexes();
  rwlocks();
  barriers_and_spins();
  c11();
  return conform_failed;
}
