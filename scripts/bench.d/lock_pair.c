/* What taking a free lock and letting it go cost together.
 *
 * lock_pair MILLISECONDS: one line "NAME NANOSECONDS" for each kind of lock, the mean CPU time of a pair; then, of one
 * mutex that two threads want all the time, "NAME NANOSECONDS" of wall time per pair. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCH = 4096 };

static double clock_now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive;
static pthread_rwlock_t read_write = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;

static void mutex_pair(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}
static void recursive_pair(void) {
  pthread_mutex_lock(&recursive);
  pthread_mutex_unlock(&recursive);
}
static void read_pair(void) {
  pthread_rwlock_rdlock(&read_write);
  pthread_rwlock_unlock(&read_write);
}
static void write_pair(void) {
  pthread_rwlock_wrlock(&read_write);
  pthread_rwlock_unlock(&read_write);
}
static void spin_pair(void) {
  pthread_spin_lock(&spin);
  pthread_spin_unlock(&spin);
}
static void semaphore_pair(void) {
  sem_post(&semaphore);
  sem_wait(&semaphore);
}
/* A lock that lives for a moment. */
static void short_life(void) {
  pthread_mutex_t m;
  pthread_mutex_init(&m, NULL);
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  pthread_mutex_destroy(&m);
}

static const struct {
  const char* name;
  void (*pair)(void);
} kinds[] = {{"mutex", mutex_pair},        {"recursive", recursive_pair}, {"rwlock,read", read_pair},
             {"rwlock,write", write_pair}, {"spin", spin_pair},           {"sem_post+sem_wait", semaphore_pair},
             {"init..destroy", short_life}};

static pthread_barrier_t start;
static volatile int stop;
/* Some work inside and outside, so that the lock is wanted most of the time, and not all of it. */
static void work(int n) {
  for (int i = 0; i < n; ++i) __asm__ volatile("");
}
static void* hammer(void* pairs) {
  long n = 0;
  pthread_barrier_wait(&start);
  for (; !stop; ++n) {
    pthread_mutex_lock(&mutex);
    work(200);
    pthread_mutex_unlock(&mutex);
    work(200);
  }
  *(long*)pairs = n;
  return NULL;
}

int main(int argc, char** argv) {
  const double milliseconds = argc > 1 ? atof(argv[1]) : 100;
  if (!(milliseconds > 0)) return 2;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive, &attributes);
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  sem_init(&semaphore, 0, 0);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    for (int i = 0; i < BATCH; ++i) kinds[k].pair();
    long pairs = 0;
    const double began = clock_now(CLOCK_THREAD_CPUTIME_ID);
    double end = began;
    while (end - began < milliseconds * 1e6) {
      for (int i = 0; i < BATCH; ++i) kinds[k].pair();
      pairs += BATCH;
      end = clock_now(CLOCK_THREAD_CPUTIME_ID);
    }
    printf("%s %.3f\n", kinds[k].name, (end - began) / (double)pairs);
  }
  pthread_barrier_init(&start, NULL, 3);
  pthread_t threads[2];
  long pairs[2];
  for (int i = 0; i < 2; ++i) {
    if (pthread_create(&threads[i], NULL, hammer, &pairs[i])) return 1;
  }
  pthread_barrier_wait(&start);
  const double began = clock_now(CLOCK_MONOTONIC);
  const struct timespec for_it = {(time_t)(milliseconds / 1000), (long)((long)milliseconds % 1000 * 1000000)};
  nanosleep(&for_it, NULL);
  stop = 1;
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  printf("2-threads-at-a-mutex,wall %.3f\n", (clock_now(CLOCK_MONOTONIC) - began) / (double)(pairs[0] + pairs[1]));
  return 0;
}
