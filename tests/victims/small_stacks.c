// Threads on the smallest stacks that there are, on which signals arrive and allocations are made.
#include <limits.h>

#include "victim.h"

static size_t stack_bytes;

static void* work(void* unused) {
  (void)unused;
  // Uses what its author measured to fit, and knows when somebody wrote over it.
  char own[4096];
  memset(own, 0x5a, sizeof own);
  for (int i = 0; i < 20; ++i) {
    BURN_NS(2000000);
    void* p = malloc(700000);
    EXPECT(p != NULL);
    free(p);
  }
  for (size_t i = 0; i < sizeof own; ++i) EXPECT(((volatile char*)own)[i] == 0x5a);
  return NULL;
}

int main(int argc, char** argv) {
  stack_bytes = (size_t)argument(argc, argv, 1, 65536);
  if (stack_bytes < (size_t)sysconf(_SC_THREAD_STACK_MIN)) stack_bytes = (size_t)sysconf(_SC_THREAD_STACK_MIN);
  pthread_attr_t attributes;
  EXPECT(pthread_attr_init(&attributes) == 0);
  EXPECT(pthread_attr_setstacksize(&attributes, stack_bytes) == 0);
  for (int round = 0; round < 4; ++round) {
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) EXPECT(pthread_create(&threads[i], &attributes, work, NULL) == 0);
    for (int i = 0; i < 4; ++i) EXPECT(pthread_join(threads[i], NULL) == 0);
  }
  // The size that a thread sees is the one that was asked for.
  size_t size = 0;
  EXPECT(pthread_attr_getstacksize(&attributes, &size) == 0 && size == stack_bytes);
  fact("stack_bytes", (long long)size);
  fact("cpu_ns", rusage_cpu_ns());
  return 0;
}
