// A small library that comes and goes: code, data, thread-local storage, and a constructor that allocates.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static char* kept;
static _Thread_local uint64_t calls;

__attribute__((constructor)) static void begin(void) {
  kept = malloc(300);
  if (kept) memset(kept, 5, 300);
}
__attribute__((destructor)) static void end(void) { free(kept); }

uint64_t work(uint64_t value, uint64_t (*back)(uint64_t)) {
  char* block = malloc(value % 2000 + 8);
  if (!block) return 0;
  memset(block, (int)value, value % 2000 + 8);
  ++calls;
  const uint64_t result = back(value * 31 + (unsigned char)block[value % 2000] + (uint64_t)kept[7]);
  free(block);
  return result + 1;
}
