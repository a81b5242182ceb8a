/* What a call of CUDA costs the calling thread.
 *
 * gpu_calls FRAMES MILLISECONDS: calls gpu_library.c's functions from below that many frames for at least so long each,
 * and prints nanoseconds of CPU time per call: of one without a stack, of launches from one place, and of launches and
 * copies by turns from 16 places. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct dim {
  unsigned x, y, z;
};
int cudaGetLastError(void);
int cudaLaunchKernel(const void*, struct dim, struct dim, void**, size_t, void*);
int cudaMemcpyAsync(void*, const void*, size_t, int, void*);

static double cpu_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

enum { kBatch = 4096 };
static int sum;

static void plain(void) {
  for (int i = 0; i < kBatch; ++i) sum += cudaGetLastError();
}
static void launch(void) {
  const struct dim one = {1, 1, 1};
  for (int i = 0; i < kBatch; ++i) sum += cudaLaunchKernel(&sum, one, one, NULL, 0, NULL);
}
#define PLACE(n)                                                \
  __attribute__((noinline)) static void place##n(void) {        \
    const struct dim one = {1, 1, 1};                           \
    sum += cudaLaunchKernel(&sum, one, one, NULL, 0, NULL) + n; \
    sum += cudaMemcpyAsync(NULL, NULL, 16, 1, NULL) + n;        \
  }
PLACE(0)
PLACE(1)
PLACE(2) PLACE(3) PLACE(4) PLACE(5) PLACE(6)
    PLACE(7) static void (*const places[])(void) = {place0, place1, place2, place3, place4, place5, place6, place7};
static void varied(void) {
  for (int i = 0; i < kBatch / 2; ++i) places[i % 8]();
}

static const char* name;
static void (*work)(void);
static double least_ns;

__attribute__((noinline)) static void below(int frames) {
  if (frames > 0) {
    below(frames - 1);
    __asm__ volatile("");
    return;
  }
  work();
  double began = cpu_ns(), ended = began;
  long batches = 0;
  for (; ended - began < least_ns; ended = cpu_ns(), ++batches) work();
  printf("%s %.1f\n", name, (ended - began) / ((double)batches * kBatch));
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  least_ns = atof(argv[2]) * 1e6;
  const struct {
    const char* name;
    void (*work)(void);
  } all[] = {{"no-stack", plain}, {"launch,same-place", launch}, {"launch+copy,16-places", varied}};
  for (int i = 0; i < 3; ++i) {
    name = all[i].name;
    work = all[i].work;
    below(atoi(argv[1]));
  }
  return 0;
}
