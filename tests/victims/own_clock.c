// A program with a clock of its own in libc's place, as simulators have: it holds a lock while it tells the time, and
// allocates in it.
#include "victim.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long asked;

int clock_gettime(clockid_t id, struct timespec* t) {
  pthread_mutex_lock(&mutex);
  ++asked;
  free(malloc(3000));
  const int r = (int)syscall(SYS_clock_gettime, id, t);
  t->tv_sec -= 1000000;
  pthread_mutex_unlock(&mutex);
  return r;
}

int main(void) {
  struct timespec t;
  for (int i = 0; i < 200000; ++i) clock_gettime(CLOCK_MONOTONIC, &t);
  fact("asked", asked);
  return 0;
}
