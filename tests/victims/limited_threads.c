// Many threads at once where the address space is limited, as by `ulimit -v`.
#include "victim.h"

static pthread_barrier_t barrier;

static void* waits(void* unused) {
  pthread_barrier_wait(&barrier);
  return unused;
}

int main(int argc, char** argv) {
  const long count = argument(argc, argv, 1, 1000), mib = argument(argc, argv, 2, 400);
  const struct rlimit limit = {(rlim_t)mib << 20, (rlim_t)mib << 20};
  EXPECT(setrlimit(RLIMIT_AS, &limit) == 0);
  pthread_barrier_init(&barrier, NULL, (unsigned)count + 1);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  pthread_t* threads = malloc((size_t)count * sizeof(*threads));
  for (long i = 0; i < count; ++i) EXPECT(pthread_create(&threads[i], &small, waits, NULL) == 0);
  pthread_barrier_wait(&barrier);
  for (long i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  fact("threads", count);
  return 0;
}
