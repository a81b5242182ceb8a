/* many_contexts ALLOCATIONS: so many allocations, from 500 call paths in turn. */
#include "victim.h"

enum { LEVELS = 9, PATHS = 500 };

static void* kept[64];

static void descend(unsigned path, int level);
static void left(unsigned path, int level) { descend(path, level); }
static void right(unsigned path, int level) { descend(path, level); }
static void descend(unsigned path, int level) {
  if (level > 0) {
    (path & 1 ? left : right)(path >> 1, level - 1);
    return;
  }
  static unsigned next;
  void** slot = &kept[next++ % 64];
  free(*slot);
  *slot = malloc(16 + next % 1000);
  EXPECT(*slot != NULL);
}

int main(int argc, char** argv) {
  const long allocations = argument(argc, argv, 1, 1000000);
  for (long i = 0; i < allocations; ++i) descend((unsigned)(i % PATHS), LEVELS);
  return 0;
}
