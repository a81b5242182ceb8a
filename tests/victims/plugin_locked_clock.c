// To be preloaded: a clock that holds a lock while it tells the time, as libfaketime's.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "victim.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int clock_gettime(clockid_t id, struct timespec* to) {
  pthread_mutex_lock(&mutex);
  const int r = (int)syscall(SYS_clock_gettime, id, to);
  pthread_mutex_unlock(&mutex);
  return r;
}
