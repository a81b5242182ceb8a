// Threads that live at once and meet at a barrier, wave after wave.
#include "victim.h"

static pthread_barrier_t barrier;

static void* meets(void* unused) {
  free(malloc(100));
  pthread_barrier_wait(&barrier);
  return unused;
}

int main(int argc, char** argv) {
  const long count = argument(argc, argv, 1, 400), waves = argument(argc, argv, 2, 12);
  pthread_t* threads = malloc((size_t)count * sizeof(*threads));
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  for (long wave = 0; wave < waves; ++wave) {
    EXPECT(pthread_barrier_init(&barrier, NULL, (unsigned)count) == 0);
    for (long i = 0; i < count; ++i) EXPECT(pthread_create(&threads[i], &small, meets, NULL) == 0);
    for (long i = 0; i < count; ++i) EXPECT(pthread_join(threads[i], NULL) == 0);
    EXPECT(pthread_barrier_destroy(&barrier) == 0);
  }
  free(threads);
  return 0;
}
