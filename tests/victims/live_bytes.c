// Holds a GiB in two sites, 3:1, in blocks of one size or of many, and can give up the larger part again.
#include "victim.h"

static void* table[1 << 20];
static long held;

static size_t mixed(uint32_t* seed) {
  // Sizes over three orders of magnitude: an estimate that is unbiased for one size only shows here.
  const unsigned octave = next_random(seed) % 12;
  return 16u + next_random(seed) % (16u << octave);
}

long long site_three(long long target, int many_sizes, uint32_t* seed) {
  long long bytes = 0;
  while (bytes < target) {
    const size_t size = many_sizes ? mixed(seed) : 4096;
    EXPECT((table[held] = malloc(size)) != NULL);
    ++held;
    bytes += (long long)size;
  }
  return bytes;
}

long long site_one(long long target, int many_sizes, uint32_t* seed) {
  long long bytes = 0;
  while (bytes < target) {
    const size_t size = many_sizes ? mixed(seed) : 4096;
    EXPECT((table[held] = malloc(size)) != NULL);
    ++held;
    bytes += (long long)size;
  }
  return bytes;
}

int main(int argc, char** argv) {
  const int many_sizes = argc > 1 && strcmp(argv[1], "mixed") == 0;
  const int give_up = argc > 2 && strcmp(argv[2], "free") == 0;
  const long long gib = 1LL << 30;
  uint32_t seed = 7;
  const long long three = site_three(gib / 4 * 3, many_sizes, &seed);
  const long of_three = held;
  const long long one = site_one(gib / 4, many_sizes, &seed);
  if (give_up) {
    for (long i = 0; i < of_three; ++i) free(table[i]);
  }
  fact("three", three);
  fact("one", one);
  return 0;
}
