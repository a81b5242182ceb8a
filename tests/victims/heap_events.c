/* One thread and a list of what can happen to blocks, for comparison with a profiler that records every event. Uses
 * neither memalign nor pvalloc, which not everybody sees, and no realloc to 0. */
#include "victim.h"

static void* keep(void* p) {
  __asm__ volatile("" : "+r"(p) : : "memory");
  EXPECT(p != NULL);
  return p;
}

static void* site_kept(size_t n) { return keep(malloc(n)); }
static void site_temporary(void) { free(keep(calloc(2, 20))); }
static void site_grown(void) {
  void* p = keep(malloc(100));
  p = keep(realloc(p, 120));
  p = keep(realloc(p, 300000));
  p = keep(realloc(p, 10));
  free(p);
}
static void site_crossed(void* other) {
  void* p = keep(malloc(48));
  free(other);
  free(p);
}
static void site_nested(void) {
  void* p = keep(malloc(70));
  void* q = keep(reallocarray(NULL, 3, 70));
  free(q);
  free(p);
}
static void site_aligned(void) {
  void* p = NULL;
  EXPECT(posix_memalign(&p, 64, 500) == 0);
  free(keep(p));
  free(keep(aligned_alloc(64, 640)));
  free(keep(valloc(5000)));
}
/* Frees the block before the last one each time: of the same size, from the same place. */
static void site_relay(long rounds) {
  void* old = NULL;
  for (long i = 0; i < rounds; ++i) {
    void* p = keep(malloc(90));
    free(old);
    old = p;
  }
}

int main(int argc, char** argv) {
  const long rounds = argument(argc, argv, 1, 1000);
  uint32_t seed = 1;
  for (long i = 0; i < rounds; ++i) {
    void* one = site_kept(1 + next_random(&seed) % 5000);
    void* other = site_kept(1 + next_random(&seed) % 50);
    site_temporary();
    site_grown();
    site_crossed(other);
    site_nested();
    site_aligned();
    if (i % 3 != 0 || i > rounds / 2) free(one);
  }
  site_relay(rounds);
  return 0;
}
