/* What a malloc and its free cost together.
 *
 * malloc_pair THREADS MILLISECONDS: for each size one line "SIZE NANOSECONDS", the mean time of a pair. It is CPU time
 * of the thread, so that other load on the machine counts little. Two patterns take turns: free at once, and a ring of
 * 64 blocks that live a little, so that the allocator's fastest path is not all that is seen. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RING = 64, BATCH = 4096 };
static const size_t sizes[] = {16, 64, 256, 1024, 4096};
enum { SIZES = sizeof sizes / sizeof *sizes };

static double cpu_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The compiler may neither drop the pair nor know what the pointer is. */
static void* keep(void* p) {
  __asm__ volatile("" : "+r"(p) : : "memory");
  return p;
}

static void at_once(size_t size) {
  for (int i = 0; i < BATCH; ++i) free(keep(malloc(size)));
}

static void ring(size_t size) {
  void* blocks[RING] = {0};
  for (int i = 0; i < BATCH; ++i) {
    free(blocks[i % RING]);
    blocks[i % RING] = keep(malloc(size));
  }
  for (int i = 0; i < RING; ++i) free(blocks[i]);
}

struct work {
  pthread_barrier_t* start;
  double milliseconds;
  double ns_per_pair[SIZES];
};

static void* run(void* argument) {
  struct work* work = argument;
  for (int s = 0; s < SIZES; ++s) {
    at_once(sizes[s]);
    ring(sizes[s]);
    pthread_barrier_wait(work->start);
    double began = cpu_now(), end;
    long pairs = 0;
    do {
      at_once(sizes[s]);
      ring(sizes[s]);
      pairs += 2 * BATCH;
      end = cpu_now();
    } while (end - began < work->milliseconds * 1e6);
    work->ns_per_pair[s] = (end - began) / (double)pairs;
  }
  return NULL;
}

int main(int argc, char** argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 1;
  double milliseconds = argc > 2 ? atof(argv[2]) : 100;
  if (threads < 1 || threads > 64 || !(milliseconds > 0)) return 2;
  pthread_barrier_t start;
  pthread_barrier_init(&start, NULL, (unsigned)threads);
  pthread_t ids[64];
  struct work work[64];
  for (int t = 0; t < threads; ++t) {
    work[t] = (struct work){&start, milliseconds, {0}};
    if (pthread_create(&ids[t], NULL, run, &work[t])) return 1;
  }
  for (int t = 0; t < threads; ++t) pthread_join(ids[t], NULL);
  for (int s = 0; s < SIZES; ++s) {
    double sum = 0;
    for (int t = 0; t < threads; ++t) sum += work[t].ns_per_pair[s];
    printf("%zu %.3f\n", sizes[s], sum / threads);
  }
  return 0;
}
