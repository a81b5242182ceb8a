// A block that grows by realloc, a little each time, to 40 MB; then another one, half of which is given back in the
// end.
#include <stdlib.h>

#include "victim.h"

enum { kStart = 8 << 20, kStep = 4096, kSteps = 8192 };

__attribute__((noinline)) static char* grow(void) {
  char* block = malloc(kStart);
  for (long i = 1; i <= kSteps; ++i) {
    block = realloc(block, kStart + (size_t)i * kStep);
    EXPECT(block != NULL);
    block[kStart + i * kStep - 1] = 1;
  }
  return block;
}

int main(void) {
  char* kept = grow();
  free(grow());
  kept = realloc(kept, 20 << 20);
  EXPECT(kept != NULL);
  fact("reallocations", 2 * kSteps + 1);
  return 0;
}
