// Blocks of three kinds, 400 of each: each larger than the one before, as data that grows by being copied; all alike;
// and of any size.
#include <stdlib.h>
#include <string.h>

#include "victim.h"

enum { kRounds = 400, kStep = 8192 };

#define ROUNDS(bytes)                     \
  void* block = NULL;                     \
  for (size_t i = 1; i <= kRounds; ++i) { \
    char* const next = malloc(bytes);     \
    EXPECT(next != NULL);                 \
    next[0] = 1;                          \
    free(block);                          \
    block = next;                         \
  }                                       \
  free(block)

void grow(void) { ROUNDS(i * kStep); }
void stay(void) { ROUNDS(kRounds / 2 * kStep); }
void vary(uint32_t* state) { ROUNDS((next_random(state) % kRounds + 1) * kStep); }

int main(void) {
  uint32_t state = 7;
  grow();
  stay();
  vary(&state);
  return 0;
}
