/* What a malloc and its free cost at the end of a deep stack.
 *
 * malloc_storm FRAMES same|varied THREADS MILLISECONDS: prints the mean CPU time of a pair, in ns. FRAMES counts the
 * return addresses from malloc's caller out to the thread's first function. "same": the pairs come from one call path.
 * "varied": before each pair the innermost levels are entered anew, by one of 64 paths at random. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LEVELS = 6, BATCH = 2048 };
enum { OUTER = 4 }; /* clone3, start_thread, run, storm itself */

static double cpu_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The compiler may neither drop the pair nor know what the pointer is; and no call may become a jump. */
static void* keep(void* p) {
  __asm__ volatile("" : "+r"(p) : : "memory");
  return p;
}
#define STAYS() __asm__ volatile("" : : : "memory")

__attribute__((always_inline)) static inline void pairs(long count) {
  for (long i = 0; i < count; ++i) free(keep(malloc(64)));
}

static void descend(unsigned path, int level, long count);
__attribute__((noinline)) static void left(unsigned path, int level, long count) {
  descend(path, level, count);
  STAYS();
}
__attribute__((noinline)) static void right(unsigned path, int level, long count) {
  descend(path, level, count);
  STAYS();
}
__attribute__((always_inline)) static inline void descend(unsigned path, int level, long count) {
  if (level == 0)
    pairs(count);
  else if (path & 1)
    left(path >> 1, level - 1, count);
  else
    right(path >> 1, level - 1, count);
}

static int varied;

__attribute__((noinline)) static void storm(int frames, uint32_t* seed) {
  if (frames > 0) {
    storm(frames - 1, seed);
  } else if (varied) {
    for (int i = 0; i < BATCH; ++i) {
      *seed = *seed * 1664525u + 1013904223u;
      descend(*seed >> 16, LEVELS, 1);
    }
  } else {
    descend(0, LEVELS, BATCH);
  }
  STAYS();
}

struct work {
  pthread_barrier_t* start;
  int frames;
  double milliseconds, ns_per_pair;
};

static void* run(void* argument) {
  struct work* work = argument;
  uint32_t seed = (uint32_t)(uintptr_t)argument;
  storm(work->frames - OUTER - LEVELS, &seed);
  pthread_barrier_wait(work->start);
  double began = cpu_now(), end;
  long done = 0;
  do {
    storm(work->frames - OUTER - LEVELS, &seed);
    done += BATCH;
    end = cpu_now();
  } while (end - began < work->milliseconds * 1e6);
  work->ns_per_pair = (end - began) / (double)done;
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const int frames = atoi(argv[1]), threads = atoi(argv[3]);
  const double milliseconds = atof(argv[4]);
  varied = strcmp(argv[2], "varied") == 0;
  if (frames < OUTER + LEVELS || threads < 1 || threads > 64 || !(milliseconds > 0)) return 2;
  pthread_barrier_t start;
  pthread_barrier_init(&start, NULL, (unsigned)threads);
  pthread_t ids[64];
  struct work work[64];
  for (int t = 0; t < threads; ++t) {
    work[t] = (struct work){&start, frames, milliseconds, 0};
    if (pthread_create(&ids[t], NULL, run, &work[t])) return 1;
  }
  double sum = 0;
  for (int t = 0; t < threads; ++t) {
    pthread_join(ids[t], NULL);
    sum += work[t].ns_per_pair;
  }
  printf("%.3f\n", sum / threads);
  return 0;
}
