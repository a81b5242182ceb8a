// Waits for locks that others hold for a known time, and takes free ones a known number of times. Says of each wait how
// long it was by its own clock, who held the lock and where it stands.
#include <semaphore.h>
#include <threads.h>

#include "victim.h"

static void nap_ms(long ms) {
  const struct timespec t = {ms / 1000, ms % 1000 * 1000000};
  EXPECT(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL) == 0);
}
static struct timespec in_ms(clockid_t clock, long ms) {
  const int64_t at = clock_ns(clock) + ms * 1000000;
  return (struct timespec){at / 1000000000, at % 1000000000};
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t timed_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t read_write;
static pthread_spinlock_t spin;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t condition_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static mtx_t c11_mutex;
static cnd_t c11_condition;

static sem_t taken;  // by the other thread
static volatile int signalled;

// What the other thread holds, for how long.
static struct {
  int what;
  long ms;
  pid_t tid;
} other;
enum { MUTEX, TIMED, WRITE, READ, SPIN, SIGNAL, BARRIER, POST, END, C11, C11_SIGNAL };

static void say_taken(void) { EXPECT(sem_post(&taken) == 0); }

static void* holder(void* unused) {
  pthread_setname_np(pthread_self(), "holder");
  other.tid = (pid_t)syscall(SYS_gettid);
  switch (other.what) {
    case MUTEX:
    case TIMED: {
      pthread_mutex_t* m = other.what == MUTEX ? &mutex : &timed_mutex;
      EXPECT(pthread_mutex_lock(m) == 0);
      say_taken();
      nap_ms(other.ms);
      EXPECT(pthread_mutex_unlock(m) == 0);
      break;
    }
    case WRITE:
    case READ:
      EXPECT((other.what == WRITE ? pthread_rwlock_wrlock(&read_write) : pthread_rwlock_rdlock(&read_write)) == 0);
      say_taken();
      nap_ms(other.ms);
      EXPECT(pthread_rwlock_unlock(&read_write) == 0);
      break;
    case SPIN:
      EXPECT(pthread_spin_lock(&spin) == 0);
      say_taken();
      nap_ms(other.ms);
      EXPECT(pthread_spin_unlock(&spin) == 0);
      break;
    case SIGNAL:
      say_taken();
      nap_ms(other.ms);
      EXPECT(pthread_mutex_lock(&condition_mutex) == 0);
      signalled = 1;
      EXPECT(pthread_cond_signal(&condition) == 0);
      EXPECT(pthread_mutex_unlock(&condition_mutex) == 0);
      break;
    case BARRIER: {
      say_taken();
      nap_ms(other.ms);
      const int r = pthread_barrier_wait(&barrier);
      EXPECT(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD);
      break;
    }
    case POST:
      say_taken();
      nap_ms(other.ms);
      EXPECT(sem_post(&semaphore) == 0);
      break;
    case END:
      say_taken();
      nap_ms(other.ms);
      break;
    case C11:
      EXPECT(mtx_lock(&c11_mutex) == thrd_success);
      say_taken();
      nap_ms(other.ms);
      EXPECT(mtx_unlock(&c11_mutex) == thrd_success);
      break;
    case C11_SIGNAL:
      say_taken();
      nap_ms(other.ms);
      EXPECT(mtx_lock(&c11_mutex) == thrd_success);
      signalled = 1;
      EXPECT(cnd_signal(&c11_condition) == thrd_success);
      EXPECT(mtx_unlock(&c11_mutex) == thrd_success);
      break;
  }
  return unused;
}

// The other thread's own way to say that it is so far must be no wait of this thread.
static pthread_t begin(int what, long ms) {
  pthread_t thread;
  other.what = what;
  other.ms = ms;
  EXPECT(pthread_create(&thread, NULL, holder, NULL) == 0);
  while (sem_trywait(&taken) != 0) nap_ms(1);
  return thread;
}
static void end(pthread_t thread) {
  while (pthread_tryjoin_np(thread, NULL) != 0) nap_ms(1);
}

#define TIMED_CALL(name, call)          \
  do {                                  \
    const int64_t began = now_ns();     \
    call;                               \
    fact(name "_ns", now_ns() - began); \
  } while (0)

void wait_for_mutex(void) {
  const pthread_t thread = begin(MUTEX, 200);
  TIMED_CALL("mutex", EXPECT(pthread_mutex_lock(&mutex) == 0));
  EXPECT(pthread_mutex_unlock(&mutex) == 0);
  fact("mutex_holder", other.tid);
  end(thread);
}

static void other_locks(void) {
  pthread_t thread = begin(TIMED, 100);
  struct timespec until = in_ms(CLOCK_REALTIME, 40);
  TIMED_CALL("timed", EXPECT(pthread_mutex_timedlock(&timed_mutex, &until) == ETIMEDOUT));
  until = in_ms(CLOCK_MONOTONIC, 30);
  TIMED_CALL("clock", EXPECT(pthread_mutex_clocklock(&timed_mutex, CLOCK_MONOTONIC, &until) == ETIMEDOUT));
  end(thread);

  thread = begin(WRITE, 60);
  TIMED_CALL("read", EXPECT(pthread_rwlock_rdlock(&read_write) == 0));
  EXPECT(pthread_rwlock_unlock(&read_write) == 0);
  fact("writer", other.tid);
  end(thread);
  thread = begin(READ, 70);
  TIMED_CALL("write", EXPECT(pthread_rwlock_wrlock(&read_write) == 0));
  EXPECT(pthread_rwlock_unlock(&read_write) == 0);
  end(thread);

  thread = begin(SPIN, 150);
  const int64_t cpu = thread_cpu_ns();
  TIMED_CALL("spin", EXPECT(pthread_spin_lock(&spin) == 0));
  fact("spin_cpu_ns", thread_cpu_ns() - cpu);
  EXPECT(pthread_spin_unlock(&spin) == 0);
  end(thread);

  thread = begin(SIGNAL, 80);
  EXPECT(pthread_mutex_lock(&condition_mutex) == 0);
  TIMED_CALL("signal", while (!signalled) EXPECT(pthread_cond_wait(&condition, &condition_mutex) == 0));
  until = in_ms(CLOCK_REALTIME, 50);
  TIMED_CALL("timeout", while (pthread_cond_timedwait(&condition, &condition_mutex, &until) != ETIMEDOUT));
  until = in_ms(CLOCK_MONOTONIC, 35);
  TIMED_CALL("clock_timeout",
             while (pthread_cond_clockwait(&condition, &condition_mutex, CLOCK_MONOTONIC, &until) != ETIMEDOUT));
  EXPECT(pthread_mutex_unlock(&condition_mutex) == 0);
  end(thread);

  thread = begin(BARRIER, 90);
  TIMED_CALL("barrier", {
    const int r = pthread_barrier_wait(&barrier);
    EXPECT(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD);
  });
  end(thread);

  thread = begin(POST, 55);
  TIMED_CALL("semaphore", EXPECT(sem_wait(&semaphore) == 0));
  end(thread);
  until = in_ms(CLOCK_REALTIME, 45);
  TIMED_CALL("semaphore_timeout", EXPECT(sem_timedwait(&semaphore, &until) == -1 && errno == ETIMEDOUT));

  thread = begin(END, 65);
  TIMED_CALL("join", EXPECT(pthread_join(thread, NULL) == 0));

  thread = begin(C11, 75);
  TIMED_CALL("c11", EXPECT(mtx_lock(&c11_mutex) == thrd_success));
  end(thread);
  EXPECT(mtx_unlock(&c11_mutex) == thrd_success);
  signalled = 0;
  thread = begin(C11_SIGNAL, 85);
  EXPECT(mtx_lock(&c11_mutex) == thrd_success);
  TIMED_CALL("c11_signal", while (!signalled) EXPECT(cnd_wait(&c11_condition, &c11_mutex) == thrd_success));
  EXPECT(mtx_unlock(&c11_mutex) == thrd_success);
  end(thread);
}

// Free locks, also for the owner of a recursive one.
static void* free_locks(void* unused) {
  pthread_mutexattr_t recursive;
  pthread_mutex_t own;
  EXPECT(pthread_mutexattr_init(&recursive) == 0);
  EXPECT(pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE) == 0);
  EXPECT(pthread_mutex_init(&own, &recursive) == 0);
  struct timespec far = in_ms(CLOCK_REALTIME, 1000000);
  for (int i = 0; i < 10007; ++i) {
    EXPECT(pthread_mutex_lock(&own) == 0);
    EXPECT(pthread_mutex_lock(&own) == 0);
    EXPECT(pthread_mutex_unlock(&own) == 0);
    EXPECT(pthread_mutex_unlock(&own) == 0);
  }
  for (int i = 0; i < 3001; ++i) {
    EXPECT(pthread_mutex_timedlock(&own, &far) == 0 && pthread_mutex_unlock(&own) == 0);
    EXPECT(sem_post(&semaphore) == 0 && sem_timedwait(&semaphore, &far) == 0);
    EXPECT(pthread_rwlock_timedrdlock(&read_write, &far) == 0 && pthread_rwlock_unlock(&read_write) == 0);
    EXPECT(pthread_rwlock_timedwrlock(&read_write, &far) == 0 && pthread_rwlock_unlock(&read_write) == 0);
    EXPECT(mtx_timedlock(&c11_mutex, &far) == thrd_success && mtx_unlock(&c11_mutex) == thrd_success);
  }
  EXPECT(pthread_mutex_destroy(&own) == 0);
  return unused;
}

void make_locks(void) {
  EXPECT(pthread_rwlock_init(&read_write, NULL) == 0);
  EXPECT(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
  EXPECT(pthread_barrier_init(&barrier, NULL, 2) == 0);
  EXPECT(sem_init(&semaphore, 0, 0) == 0 && sem_init(&taken, 0, 0) == 0);
  EXPECT(mtx_init(&c11_mutex, mtx_timed) == thrd_success && cnd_init(&c11_condition) == thrd_success);
}

int main(int argc, char** argv) {
  make_locks();
  fact("main", (long long)syscall(SYS_gettid));
  fact("mutex_address", (intptr_t)&mutex);
  fact("read_write_address", (intptr_t)&read_write);
  fact("wait_for_mutex", (intptr_t)wait_for_mutex);
  fact("make_locks", (intptr_t)make_locks);
  wait_for_mutex();
  other_locks();
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, free_locks, NULL) == 0);
  end(thread);
  if (argument(argc, argv, 1, 0) != 0) raise(SIGKILL);
  return 0;
}
