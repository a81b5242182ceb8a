// Several threads start a shell at the same moment, and nothing was started before.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "victim.h"

enum { kThreads = 6 };

static pthread_barrier_t all_there;

static void* run_shell(void* unused) {
  pthread_barrier_wait(&all_there);
  EXPECT(system("exit 3") == 3 << 8);
  return unused;
}

int main(void) {
  pthread_t threads[kThreads];
  EXPECT(pthread_barrier_init(&all_there, NULL, kThreads) == 0);
  for (int i = 0; i < kThreads; ++i) EXPECT(pthread_create(&threads[i], NULL, run_shell, NULL) == 0);
  for (int i = 0; i < kThreads; ++i) EXPECT(pthread_join(threads[i], NULL) == 0);
  puts("done");
  return 0;
}
