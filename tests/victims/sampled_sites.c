/* Three sites whose bytes are known, for comparison with estimates: many small blocks, blocks of many sizes, few large
 * ones. Half of each stays. Prints, for each site, its bytes and live bytes. */
#include "victim.h"

static void* keep(void* p) {
  __asm__ volatile("" : "+r"(p) : : "memory");
  EXPECT(p != NULL);
  return p;
}
static void* site_small(size_t n) { return keep(malloc(n)); }
static void* site_mixed(size_t n) { return keep(malloc(n)); }
static void* site_large(size_t n) { return keep(malloc(n)); }

static void fill(const char* name, void* (*site)(size_t), long blocks, size_t least, size_t range) {
  static void* kept[400000];
  uint32_t seed = 7;
  long long bytes = 0, live = 0;
  for (long i = 0; i < blocks; ++i) {
    const size_t n = least + next_random(&seed) % range;
    kept[i] = site(n);
    bytes += (long long)n;
    if (i % 2 == 0) live += (long long)n;
  }
  for (long i = 1; i < blocks; i += 2) free(kept[i]);
  char fact_name[64];
  snprintf(fact_name, sizeof fact_name, "%s_bytes", name);
  fact(fact_name, bytes);
  snprintf(fact_name, sizeof fact_name, "%s_live", name);
  fact(fact_name, live);
}

int main(void) {
  fill("small", site_small, 400000, 64, 1);
  fill("mixed", site_mixed, 25000, 1, 2000);
  fill("large", site_large, 400, 50000, 30000);
  return 0;
}
