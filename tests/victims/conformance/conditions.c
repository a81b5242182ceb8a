// Condition variables, semaphores and joins.
#include <semaphore.h>
#include <sys/sem.h>

#include "conform.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int waiting, tokens, woken;

static void nap_ms(long ms) {
  const struct timespec span = span_ms(ms);
  nanosleep(&span, NULL);
}

static void* waits(void* unused) {
  pthread_mutex_lock(&mutex);
  ++waiting;
  while (tokens == 0) EXPECT(pthread_cond_wait(&condition, &mutex) == 0);
  --tokens;
  ++woken;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static int woken_after(int all) {
  int seen = 0;
  for (int i = 0; i < 2000 && seen < all; ++i) {
    pthread_mutex_lock(&mutex);
    seen = woken;
    pthread_mutex_unlock(&mutex);
    nap_ms(1);
  }
  return seen;
}

static void wakes(void) {
  pthread_t thread[4];
  for (int i = 0; i < 4; ++i) EXPECT(pthread_create(&thread[i], NULL, waits, NULL) == 0);
  for (bool all = false; !all; nap_ms(1)) {
    pthread_mutex_lock(&mutex);
    all = waiting == 4;
    pthread_mutex_unlock(&mutex);
  }
  pthread_mutex_lock(&mutex);
  tokens = 1;
  IS("signal", pthread_cond_signal(&condition), 0);
  pthread_mutex_unlock(&mutex);
  IS("wakes one", woken_after(1), 1);
  nap_ms(3);
  IS("and no more", woken_after(1), 1);
  pthread_mutex_lock(&mutex);
  tokens = 3;
  IS("broadcast", pthread_cond_broadcast(&condition), 0);
  pthread_mutex_unlock(&mutex);
  IS("wakes all", woken_after(4), 4);
  for (int i = 0; i < 4; ++i) pthread_join(thread[i], NULL);
}

// Until a wait that nobody ends is over; spurious wakeups are allowed.
static int timed(pthread_cond_t* c, clockid_t attribute, int by_clock, long ms, long* took) {
  struct timespec at = after_ms(attribute, ms);
  const int64_t start = now_ns();
  int r = 0;
  pthread_mutex_lock(&mutex);
  while (r == 0) {
    r = by_clock ? pthread_cond_clockwait(c, &mutex, attribute, &at) : pthread_cond_timedwait(c, &mutex, &at);
  }
  *took = (now_ns() - start) / 1000;
  EXPECT(pthread_mutex_unlock(&mutex) == 0);
  return r;
}

static void timeouts(void) {
  long us = 0;
  for (int round = 0; round < 5; ++round) {
    BURN_NS(950000);
    IS("cond_timedwait", timed(&condition, CLOCK_REALTIME, 0, 10, &us), ETIMEDOUT);
    HOLDS("in its time", us >= 9800 && us < 900000);
  }
  pthread_condattr_t attributes;
  pthread_cond_t steady;
  EXPECT(pthread_condattr_init(&attributes) == 0 && pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0);
  EXPECT(pthread_cond_init(&steady, &attributes) == 0);
  // By the clock of the other kind this time would have been over long ago.
  IS("a condition with a monotonic clock", timed(&steady, CLOCK_MONOTONIC, 0, 10, &us), ETIMEDOUT);
  HOLDS("in its time", us >= 9800 && us < 900000);
  IS("cond_clockwait, monotonic", timed(&condition, CLOCK_MONOTONIC, 1, 10, &us), ETIMEDOUT);
  HOLDS("in its time", us >= 9800 && us < 900000);
  IS("cond_clockwait, real", timed(&steady, CLOCK_REALTIME, 1, 10, &us), ETIMEDOUT);
  HOLDS("in its time", us >= 9800 && us < 900000);
  struct timespec bad = {.tv_nsec = 1000000000};
  pthread_mutex_lock(&mutex);
  IS("a bad time", pthread_cond_timedwait(&condition, &mutex, &bad), EINVAL);
  IS("a bad clock", pthread_cond_clockwait(&condition, &mutex, CLOCK_PROCESS_CPUTIME_ID, &(struct timespec){0}),
     EINVAL);
  IS("a time long ago", pthread_cond_timedwait(&condition, &mutex, &(struct timespec){0}), ETIMEDOUT);
  IS("the mutex is still held", pthread_mutex_trylock(&mutex), EBUSY);
  pthread_mutex_unlock(&mutex);
  IS("destroy", pthread_cond_destroy(&steady), 0);
}

static volatile int handled;
static void count(int number) {
  (void)number;
  ++handled;
}
static pthread_t main_thread;
static void* sends_then_signals(void* unused) {
  nap_ms(5);
  pthread_kill(main_thread, SIGUSR1);
  nap_ms(5);
  pthread_mutex_lock(&mutex);
  tokens = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return unused;
}

// Neither returns EINTR, whatever the handler's flags.
static void signals_beside(void) {
  const struct sigaction action = {.sa_handler = count};
  EXPECT(sigaction(SIGUSR1, &action, NULL) == 0);
  main_thread = pthread_self();
  pthread_t thread;
  tokens = 0;
  EXPECT(pthread_create(&thread, NULL, sends_then_signals, NULL) == 0);
  pthread_mutex_lock(&mutex);
  int r = 0;
  while (tokens == 0 && r == 0) r = pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  IS("cond_wait over a signal", r, 0);
  IS("its handler ran", handled, 1);
  EXPECT(pthread_join(thread, NULL) == 0 && pthread_create(&thread, NULL, sends_then_signals, NULL) == 0);
  IS("join over a signal", pthread_join(thread, NULL), 0);
  IS("its handler ran, too", handled, 2);
}

static sem_t semaphore;
static void* posts(void* unused) {
  nap_ms(5);
  EXPECT(sem_post(&semaphore) == 0);
  return unused;
}

static void semaphores(void) {
  int value = -1;
  FAILS("sem_init too large", sem_init(&semaphore, 0, UINT_MAX), EINVAL);
  EXPECT(sem_init(&semaphore, 0, 2) == 0);
  GIVES("sem_wait", sem_wait(&semaphore), 0);
  GIVES("sem_trywait", sem_trywait(&semaphore), 0);
  FAILS("sem_trywait of none", sem_trywait(&semaphore), EAGAIN);
  GIVES("sem_getvalue", sem_getvalue(&semaphore, &value), 0);
  IS("its value", value, 0);
  struct timespec at = after_ms(CLOCK_REALTIME, 8);
  FAILS("sem_timedwait", sem_timedwait(&semaphore, &at), ETIMEDOUT);
  at = after_ms(CLOCK_MONOTONIC, 8);
  FAILS("sem_clockwait", sem_clockwait(&semaphore, CLOCK_MONOTONIC, &at), ETIMEDOUT);
  FAILS("sem_timedwait of a bad time", sem_timedwait(&semaphore, &(struct timespec){.tv_nsec = -1}), EINVAL);
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, posts, NULL) == 0);
  IS("sem_wait for another thread", sem_wait(&semaphore), 0);
  EXPECT(pthread_join(thread, NULL) == 0);
  GIVES("sem_destroy", sem_destroy(&semaphore), 0);
  char name[60];
  snprintf(name, sizeof name, "/conform.%d", getpid());
  HOLDS("sem_open of none", sem_open(name, 0) == SEM_FAILED && errno == ENOENT);
  sem_t* named = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
  HOLDS("sem_open", named != SEM_FAILED);
  HOLDS("sem_open exclusively", sem_open(name, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST);
  HOLDS("sem_open again is the same", sem_open(name, O_CREAT, 0600, 5) == named);
  IS("its first value", sem_wait(named), 0);
  const pid_t child = fork();
  if (child == 0) _exit(sem_post(named));
  IS("sem_wait for another process", sem_wait(named), 0);
  int status = 1;
  EXPECT(waitpid(child, &status, 0) == child);
  IS("the other process", status, 0);
  GIVES("sem_close", sem_close(named) + sem_close(named), 0);
  GIVES("sem_unlink", sem_unlink(name), 0);
  FAILS("sem_unlink again", sem_unlink(name), ENOENT);
}

// System V's, which come in sets.
static void sets_of_semaphores(void) {
  struct sembuf take = {.sem_op = -1}, give = {.sem_op = 1};
  const int id = semget(IPC_PRIVATE, 1, 0600);
  EXPECT(id >= 0);
  const int64_t start = now_ns();
  FAILS("semtimedop", semtimedop(id, &take, 1, &(struct timespec){.tv_nsec = 8000000}), EAGAIN);
  HOLDS("not before its timeout", now_ns() - start >= 8000000);
  FAILS("semtimedop of a bad time", semtimedop(id, &take, 1, &(struct timespec){.tv_nsec = -1}), EINVAL);
  FAILS("semtimedop with a timeout at a bad address", semtimedop(id, &take, 1, nowhere), EFAULT);
  FAILS("semop at a bad address", semop(id, nowhere, 1), EFAULT);
  take.sem_flg = IPC_NOWAIT;
  FAILS("semop that does not wait", semop(id, &take, 1), EAGAIN);
  take.sem_flg = 0;
  const pid_t child = fork();
  if (child == 0) {
    nap_ms(5);
    _exit(semop(id, &give, 1));
  }
  GIVES("semop for another process", semop(id, &take, 1), 0);
  EXPECT(waitpid(child, NULL, 0) == child);
  GIVES("semctl", semctl(id, 0, IPC_RMID), 0);
  FAILS("semop of none", semop(id, &take, 1), EINVAL);
}

static void* returns(void* value) {
  nap_ms(80);
  return value;
}

static void joins(void) {
  pthread_t thread, detached;
  pthread_attr_t attributes;
  void* result = NULL;
  EXPECT(pthread_attr_init(&attributes) == 0);
  EXPECT(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0);
  EXPECT(pthread_create(&detached, &attributes, returns, NULL) == 0);
  IS("join of a detached one", pthread_join(detached, NULL), EINVAL);
  IS("detach of a detached one", pthread_detach(detached), EINVAL);
  IS("join of oneself", pthread_join(pthread_self(), NULL), EDEADLK);
  EXPECT(pthread_create(&thread, NULL, returns, (void*)12) == 0);
  IS("tryjoin of one that runs", pthread_tryjoin_np(thread, &result), EBUSY);
  struct timespec at = after_ms(CLOCK_REALTIME, 2);
  IS("timedjoin of one that runs", pthread_timedjoin_np(thread, &result, &at), ETIMEDOUT);
  at = after_ms(CLOCK_MONOTONIC, 2);
  IS("clockjoin of one that runs", pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &at), ETIMEDOUT);
  IS("join", pthread_join(thread, &result), 0);
  IS("its result", (long)result, 12);
}

int main(void) {
  burn_beside(1);
  wakes();
  timeouts();
  signals_beside();
  semaphores();
  sets_of_semaphores();
  joins();
  return conform_failed;
}
