// Mutexes, conditions, read-write locks, barriers, semaphores, with counts that are known.
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/hosts/host.h"

struct shared {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  pthread_rwlock_t rwlock;
  pthread_spinlock_t spin;
  pthread_barrier_t barrier;
  sem_t tokens;
  unsigned rounds, count;
  unsigned by_mutex, by_rwlock, by_spin, turn;
  _Atomic unsigned serial, in_tokens, most_tokens;
};
struct worker {
  struct shared* shared;
  uint64_t seed;
  unsigned index;
};

static void take_turns(struct shared* o, const struct worker* w) {
  CHECK(pthread_mutex_lock(&o->mutex) == 0);
  while (o->turn % o->count != w->index) CHECK(pthread_cond_wait(&o->changed, &o->mutex) == 0);
  ++o->turn;
  CHECK(pthread_cond_broadcast(&o->changed) == 0);
  CHECK(pthread_mutex_unlock(&o->mutex) == 0);
}

static void* run_worker(void* argument) {
  const struct worker* w = argument;
  struct shared* o = w->shared;
  struct step s = {.random = w->seed, .outcome = 0, .forked = false};
  for (unsigned i = 0; i < o->rounds; ++i) {
    CHECK(pthread_mutex_lock(&o->mutex) == 0);
    ++o->by_mutex;
    if (once_in(&s, 8)) burn_us(20);
    CHECK(pthread_mutex_unlock(&o->mutex) == 0);
    if (once_in(&s, 2)) {
      CHECK(pthread_rwlock_wrlock(&o->rwlock) == 0);
    } else {
      int result;
      while ((result = pthread_rwlock_trywrlock(&o->rwlock)) != 0) {
        CHECK(result == EBUSY);
        CHECK(pthread_rwlock_rdlock(&o->rwlock) == 0);
        CHECK(o->by_rwlock <= o->rounds * o->count);
        CHECK(pthread_rwlock_unlock(&o->rwlock) == 0);
      }
    }
    ++o->by_rwlock;
    CHECK(pthread_rwlock_unlock(&o->rwlock) == 0);
    CHECK(pthread_spin_lock(&o->spin) == 0);
    ++o->by_spin;
    CHECK(pthread_spin_unlock(&o->spin) == 0);
    while (sem_wait(&o->tokens) != 0) CHECK(errno == EINTR);
    CHECK(++o->in_tokens <= 2);
    --o->in_tokens;
    CHECK(sem_post(&o->tokens) == 0);
    if (i % 16 == 0) take_turns(o, w);
    if (i % 16 == 1 && pthread_barrier_wait(&o->barrier) == PTHREAD_BARRIER_SERIAL_THREAD) ++o->serial;
  }
  return NULL;
}

void mutexes_operation(struct step* s) {
  enum { most = 4 };
  struct shared* o = calloc(1, sizeof(*o));
  CHECK(o != NULL);
  o->rounds = 16 * (unsigned)between(s, 1, 6);
  o->count = (unsigned)between(s, 1, most);
  CHECK(pthread_mutex_init(&o->mutex, NULL) == 0 && pthread_cond_init(&o->changed, NULL) == 0);
  CHECK(pthread_rwlock_init(&o->rwlock, NULL) == 0 && pthread_spin_init(&o->spin, 0) == 0);
  CHECK(pthread_barrier_init(&o->barrier, NULL, o->count) == 0 && sem_init(&o->tokens, 0, 2) == 0);
  pthread_t threads[most];
  struct worker workers[most];
  // A spinning thread must not be parked while it holds the lock: signals stay away.
  const struct quiet q = be_quiet();
  for (unsigned i = 0; i < o->count; ++i) {
    workers[i] = (struct worker){o, draw(s), i};
    CHECK(pthread_create(&threads[i], NULL, run_worker, &workers[i]) == 0);
  }
  be_loud(&q);
  for (unsigned i = 0; i < o->count; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  const unsigned all = o->rounds * o->count;
  CHECK(o->by_mutex == all && o->by_rwlock == all && o->by_spin == all);
  CHECK(o->turn == o->rounds / 16 * o->count && o->serial == o->rounds / 16);
  CHECK(pthread_mutex_destroy(&o->mutex) == 0 && pthread_cond_destroy(&o->changed) == 0);
  CHECK(pthread_rwlock_destroy(&o->rwlock) == 0 && pthread_spin_destroy(&o->spin) == 0);
  CHECK(pthread_barrier_destroy(&o->barrier) == 0 && sem_destroy(&o->tokens) == 0);
  free(o);
  fold(s, all);
}

static struct timespec in_us(clockid_t clock, long us) {
  struct timespec t;
  clock_gettime(clock, &t);
  t.tv_nsec += us * 1000;
  if (t.tv_nsec >= 1000000000) ++t.tv_sec, t.tv_nsec -= 1000000000;
  return t;
}

static void* leave_locked(void* mutex) {
  CHECK(pthread_mutex_lock(mutex) == 0);
  return NULL;
}

static void kinds_of_mutexes(void) {
  pthread_mutexattr_t attributes;
  pthread_mutex_t mutex;
  CHECK(pthread_mutexattr_init(&attributes) == 0);
  CHECK(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE) == 0);
  CHECK(pthread_mutex_init(&mutex, &attributes) == 0);
  CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_lock(&mutex) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == EPERM && pthread_mutex_destroy(&mutex) == 0);
  CHECK(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK) == 0);
  CHECK(pthread_mutex_init(&mutex, &attributes) == 0 && pthread_mutex_lock(&mutex) == 0);
  CHECK(pthread_mutex_lock(&mutex) == EDEADLK && pthread_mutex_trylock(&mutex) == EBUSY);
  CHECK(pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_destroy(&mutex) == 0);
  // Its owner ends: the next one is told.
  CHECK(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
  CHECK(pthread_mutex_init(&mutex, &attributes) == 0);
  pthread_t thread;
  const struct quiet q = be_quiet();
  CHECK(pthread_create(&thread, NULL, leave_locked, &mutex) == 0 && pthread_join(thread, NULL) == 0);
  be_loud(&q);
  CHECK(pthread_mutex_lock(&mutex) == EOWNERDEAD && pthread_mutex_consistent(&mutex) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_destroy(&mutex) == 0);
  CHECK(pthread_mutexattr_destroy(&attributes) == 0);
}

void semaphores_operation(struct step* s) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
  sem_t semaphore;
  CHECK(sem_init(&semaphore, 0, 1) == 0);
  const long us = (long)below(s, 1500);
  // Signals of the program's own may interrupt sem_wait and wake no other.
  const struct quiet q = be_quiet();
  CHECK(sem_wait(&semaphore) == 0);
  errno = 0;
  CHECK(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
  struct timespec until = in_us(CLOCK_REALTIME, us);
  const int64_t began = now_ns();
  errno = 0;
  CHECK(sem_timedwait(&semaphore, &until) == -1 && errno == ETIMEDOUT);
  burn_us((unsigned)below(s, 200));
  CHECK(pthread_mutex_lock(&mutex) == 0);
  until = in_us(CLOCK_REALTIME, us);
  int result;
  while ((result = pthread_cond_timedwait(&never, &mutex, &until)) == 0) continue;
  CHECK(result == ETIMEDOUT && pthread_mutex_trylock(&mutex) == EBUSY);
  until = in_us(CLOCK_MONOTONIC, us);
  while ((result = pthread_cond_clockwait(&never, &mutex, CLOCK_MONOTONIC, &until)) == 0) continue;
  CHECK(result == ETIMEDOUT);
  CHECK(pthread_rwlock_rdlock(&rwlock) == 0 && pthread_rwlock_tryrdlock(&rwlock) == 0);
  until = in_us(CLOCK_REALTIME, us);
  CHECK(pthread_rwlock_timedwrlock(&rwlock, &until) == ETIMEDOUT);
  CHECK(pthread_rwlock_unlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
  until = in_us(CLOCK_REALTIME, us);
  CHECK(pthread_mutex_timedlock(&mutex, &until) == ETIMEDOUT);
  CHECK(now_ns() - began >= us * 1000LL);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  be_loud(&q);
  kinds_of_mutexes();
  CHECK(sem_destroy(&semaphore) == 0 && pthread_rwlock_destroy(&rwlock) == 0);
  CHECK(pthread_cond_destroy(&never) == 0 && pthread_mutex_destroy(&mutex) == 0);
  fold(s, (uint64_t)us);
}
