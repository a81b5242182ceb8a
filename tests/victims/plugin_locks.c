// A library whose constructor waits for a thread that takes, and waits for, locks of every kind: while the dynamic
// loader's own lock is held, and perhaps before anything else of the process is ready.
#include <semaphore.h>
#include <threads.h>

#include "victim.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t read_write = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t semaphore;
static mtx_t c11;

static void* taker(void* unused) {
  const struct timespec past = {1, 0};
  EXPECT(pthread_mutex_lock(&mutex) == 0);
  EXPECT(pthread_cond_timedwait(&condition, &mutex, &past) == ETIMEDOUT);
  EXPECT(pthread_mutex_unlock(&mutex) == 0);
  EXPECT(pthread_rwlock_rdlock(&read_write) == 0 && pthread_rwlock_unlock(&read_write) == 0);
  EXPECT(pthread_rwlock_wrlock(&read_write) == 0 && pthread_rwlock_unlock(&read_write) == 0);
  EXPECT(pthread_spin_lock(&spin) == 0 && pthread_spin_unlock(&spin) == 0);
  EXPECT(sem_wait(&semaphore) == 0 && sem_timedwait(&semaphore, &past) == -1);
  EXPECT(mtx_lock(&c11) == thrd_success && mtx_unlock(&c11) == thrd_success);
  const int r = pthread_barrier_wait(&barrier);
  EXPECT(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD);
  return unused;
}

__attribute__((constructor)) static void loaded(void) {
  EXPECT(pthread_spin_init(&spin, 0) == 0 && sem_init(&semaphore, 0, 0) == 0);
  EXPECT(pthread_barrier_init(&barrier, NULL, 2) == 0 && mtx_init(&c11, mtx_plain) == thrd_success);
  EXPECT(pthread_mutex_lock(&mutex) == 0);
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, taker, NULL) == 0);
  usleep(20000);
  EXPECT(pthread_mutex_unlock(&mutex) == 0);
  usleep(1000);
  EXPECT(sem_post(&semaphore) == 0);
  const int r = pthread_barrier_wait(&barrier);
  EXPECT(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD);
  EXPECT(pthread_join(thread, NULL) == 0);
}
