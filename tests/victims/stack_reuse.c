// Bursts of short threads with default attributes: libc keeps some of their stacks and unmaps the others, in which
// their thread-local storage lay, while whatever they started may still be at work.
#include "victim.h"

static void* allocate(void* unused) {
  void* volatile p = malloc(3 << 20);
  EXPECT(p != NULL);
  free(p);
  return unused;
}

int main(int argc, char** argv) {
  const long bursts = argument(argc, argv, 1, 300);
  for (long i = 0; i < bursts; ++i) {
    pthread_t threads[16];
    for (int k = 0; k < 16; ++k) EXPECT(pthread_create(&threads[k], NULL, allocate, NULL) == 0);
    for (int k = 0; k < 16; ++k) EXPECT(pthread_join(threads[k], NULL) == 0);
    const struct timespec pause = {0, 2000000};
    nanosleep(&pause, NULL);
  }
  fact("bursts", bursts);
  return 0;
}
