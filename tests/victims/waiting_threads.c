// Many threads that wait at once, and what they take of memory: all while they wait, and what is left of it when they
// have ended. None is woken before the end: what a thread does then takes stack, too.
#include "resident.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER, end = PTHREAD_COND_INITIALIZER;
static long waiting, may_end;

static void* waits(void* unused) {
  pthread_mutex_lock(&mutex);
  ++waiting;
  pthread_cond_signal(&arrived);
  while (!may_end) pthread_cond_wait(&end, &mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(int argc, char** argv) {
  const long count = argument(argc, argv, 1, 1000);
  pthread_t* threads = malloc((size_t)count * sizeof(*threads));
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  const long before = resident_kib();
  for (long i = 0; i < count; ++i) EXPECT(pthread_create(&threads[i], &small, waits, NULL) == 0);
  pthread_mutex_lock(&mutex);
  while (waiting < count) pthread_cond_wait(&arrived, &mutex);
  fact("waiting_kib", resident_kib() - before);
  may_end = 1;
  pthread_cond_broadcast(&end);
  pthread_mutex_unlock(&mutex);
  for (long i = 0; i < count; ++i) EXPECT(pthread_join(threads[i], NULL) == 0);
  fact("left_kib", resident_kib() - before);
  free(threads);
  return 0;
}
