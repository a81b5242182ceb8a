// Threads that are cancelled while they wait for a condition, a semaphore, a thread, and just before they would have
// had to wait: cleanup handlers and destructors run, with the mutex held where it must be.
#include <semaphore.h>

#include <atomic>

#include "victim.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static std::atomic<int> cleaned{0}, unwound{0};

static void unlock(void*) {
  // The canceller sees it locked until here.
  EXPECT(pthread_mutex_trylock(&mutex) == EBUSY);
  EXPECT(pthread_mutex_unlock(&mutex) == 0);
  ++cleaned;
}
static void count(void*) { ++cleaned; }
struct Unwound {
  ~Unwound() { ++unwound; }
};

static void* in_condition(void*) {
  Unwound inner;
  EXPECT(pthread_mutex_lock(&mutex) == 0);
  pthread_cleanup_push(unlock, nullptr);
  for (;;) EXPECT(pthread_cond_wait(&condition, &mutex) == 0);
  pthread_cleanup_pop(0);
}
static void* in_timed_condition(void*) {
  Unwound inner;
  timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 1000;
  EXPECT(pthread_mutex_lock(&mutex) == 0);
  pthread_cleanup_push(unlock, nullptr);
  for (;;) EXPECT(pthread_cond_timedwait(&condition, &mutex, &until) == 0);
  pthread_cleanup_pop(0);
}
static void* in_semaphore(void*) {
  Unwound inner;
  pthread_cleanup_push(count, nullptr);
  sem_wait(&semaphore);
  _exit(VICTIM_FAILED);
  pthread_cleanup_pop(0);
}
static void* for_ever(void*) {
  for (;;) pause();
}
static pthread_t endless;
static void* in_join(void*) {
  Unwound inner;
  pthread_cleanup_push(count, nullptr);
  pthread_join(endless, nullptr);
  _exit(VICTIM_FAILED);
  pthread_cleanup_pop(0);
}

static std::atomic<int> blocked{0}, cancelled{0};
// The semaphore has something left, and still this is where a thread that was cancelled ends.
static void* at_free_semaphore(void*) {
  Unwound inner;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
  blocked = 1;
  while (!cancelled) usleep(100);
  pthread_cleanup_push(count, nullptr);
  sem_t free;
  EXPECT(sem_init(&free, 0, 1) == 0);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
  sem_wait(&free);
  _exit(VICTIM_FAILED);
  pthread_cleanup_pop(0);
}
// Locks of other kinds are no such place.
static void* at_mutex(void*) {
  Unwound inner;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
  blocked = 1;
  while (!cancelled) usleep(100);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
  pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
  pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
  for (int i = 0; i < 100; ++i) {
    EXPECT(pthread_mutex_lock(&own) == 0 && pthread_mutex_unlock(&own) == 0);
    EXPECT(pthread_rwlock_wrlock(&shared) == 0 && pthread_rwlock_unlock(&shared) == 0);
  }
  ++cleaned;
  pthread_testcancel();
  _exit(VICTIM_FAILED);
}

static void cancel(void* (*routine)(void*), bool when_asleep) {
  pthread_t thread;
  const int before_cleaned = cleaned, before_unwound = unwound;
  blocked = 0;
  cancelled = 0;
  EXPECT(pthread_create(&thread, nullptr, routine, nullptr) == 0);
  if (when_asleep) {
    usleep(30000);
    EXPECT(pthread_cancel(thread) == 0);
  } else {
    while (!blocked) usleep(100);
    EXPECT(pthread_cancel(thread) == 0);
    cancelled = 1;
  }
  void* result = nullptr;
  EXPECT(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
  EXPECT(cleaned == before_cleaned + 1 && unwound == before_unwound + 1);
  EXPECT(pthread_mutex_trylock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
}

int main() {
  EXPECT(sem_init(&semaphore, 0, 0) == 0);
  EXPECT(pthread_create(&endless, nullptr, for_ever, nullptr) == 0);
  for (int i = 0; i < 3; ++i) {
    cancel(in_condition, true);
    cancel(in_timed_condition, true);
    cancel(in_semaphore, true);
    cancel(in_join, true);
    cancel(at_free_semaphore, false);
    cancel(at_mutex, false);
  }
  EXPECT(pthread_cancel(endless) == 0 && pthread_join(endless, nullptr) == 0);
  return 0;
}
