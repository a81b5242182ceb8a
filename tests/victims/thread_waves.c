// Threads that live at once and meet at a barrier, wave after wave, from other places in each: thread_waves [COUNT
// WAVES [LOCKED]]. LOCKED is 1: all memory is locked, so that none can be given back.
#include <sys/mman.h>

#include "victim.h"

static pthread_barrier_t barrier;

#define ALLOCATES(n) \
  __attribute__((noinline)) static void allocates##n(void) { free(malloc(100 + n)); }
ALLOCATES(0)
ALLOCATES(1)
ALLOCATES(2)
ALLOCATES(3)
ALLOCATES(4)
ALLOCATES(5)
ALLOCATES(6)
ALLOCATES(7)
static void (*const places[])(void) = {allocates0, allocates1, allocates2, allocates3,
                                       allocates4, allocates5, allocates6, allocates7};
static long wave;

static void* meets(void* unused) {
  for (long i = 0; i < 4; ++i) places[(wave * 4 + i) % 8]();
  pthread_barrier_wait(&barrier);
  return unused;
}

int main(int argc, char** argv) {
  const long count = argument(argc, argv, 1, 400), waves = argument(argc, argv, 2, 12);
  if (argument(argc, argv, 3, 0) != 0) EXPECT(mlockall(MCL_CURRENT | MCL_FUTURE) == 0);
  pthread_t* threads = malloc((size_t)count * sizeof(*threads));
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  for (wave = 0; wave < waves; ++wave) {
    EXPECT(pthread_barrier_init(&barrier, NULL, (unsigned)count) == 0);
    for (long i = 0; i < count; ++i) EXPECT(pthread_create(&threads[i], &small, meets, NULL) == 0);
    for (long i = 0; i < count; ++i) EXPECT(pthread_join(threads[i], NULL) == 0);
    EXPECT(pthread_barrier_destroy(&barrier) == 0);
  }
  free(threads);
  return 0;
}
