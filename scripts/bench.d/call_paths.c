// Allocates once from each of as many call paths as it is told: eight functions call each other, nine deep, chosen by
// three bits of a number each. Every fourth block stays.
// usage: call_paths PATHS
#include <stdio.h>
#include <stdlib.h>

enum { kDepth = 9 };

static void* step(unsigned long path, int depth);

#define FUNCTION(n)                                                                    \
  static __attribute__((noinline)) void* function_##n(unsigned long path, int depth) { \
    void* block = depth == 0 ? malloc(16 + n) : step(path, depth);                     \
    __asm__ volatile("" : : "r"(block) : "memory"); /* no tail call */                 \
    return block;                                                                      \
  }
FUNCTION(0)
FUNCTION(1) FUNCTION(2) FUNCTION(3) FUNCTION(4) FUNCTION(5) FUNCTION(6) FUNCTION(7)

    static inline __attribute__((always_inline)) void* step(unsigned long path, int depth) {
  switch (path & 7) {
    case 0:
      return function_0(path >> 3, depth - 1);
    case 1:
      return function_1(path >> 3, depth - 1);
    case 2:
      return function_2(path >> 3, depth - 1);
    case 3:
      return function_3(path >> 3, depth - 1);
    case 4:
      return function_4(path >> 3, depth - 1);
    case 5:
      return function_5(path >> 3, depth - 1);
    case 6:
      return function_6(path >> 3, depth - 1);
    default:
      return function_7(path >> 3, depth - 1);
  }
}

int main(int argc, char** argv) {
  char* end = NULL;
  const unsigned long paths = argc == 2 ? strtoul(argv[1], &end, 10) : 0;
  if (paths == 0 || *end != 0 || paths > 1ul << 3 * kDepth) {
    fprintf(stderr, "usage: call_paths PATHS        at most %lu\n", 1ul << 3 * kDepth);
    return 2;
  }
  for (unsigned long path = 0; path < paths; ++path) {
    void* block = step(path, kDepth);
    if (path % 4 != 0) free(block);
  }
  return 0;
}
