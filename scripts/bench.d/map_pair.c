/* What a mapping costs to make and to unmake, while there are many.
 *
 * map_pair COUNT...: for each, lines "mmap,COUNT MICROSECONDS" and "munmap,COUNT MICROSECONDS": the mean CPU time of
 * each call while COUNT mappings, which the kernel cannot join, are made one after the other and then unmade. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

int main(int argc, char** argv) {
  for (int a = 1; a < argc; ++a) {
    const long count = atol(argv[a]);
    void** const p = malloc((size_t)count * sizeof(void*));
    const double began = now_us();
    for (long i = 0; i < count; ++i) {
      p[i] = mmap(NULL, 8192, i & 1 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (p[i] == MAP_FAILED) return 1;
    }
    const double made = now_us();
    for (long i = 0; i < count; ++i) munmap(p[i], 8192);
    const double unmade = now_us();
    printf("mmap,%ld %.3f\nmunmap,%ld %.3f\n", count, (made - began) / (double)count, count,
           (unmade - made) / (double)count);
    free(p);
  }
  return 0;
}
