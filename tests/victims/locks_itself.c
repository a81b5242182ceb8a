// Waits for ever for a mutex that it holds itself, before it has done anything else; SIGALRM ends it.
//
//   locks_itself
#include "victim.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
  alarm(1);
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex);
  return 0;
}
