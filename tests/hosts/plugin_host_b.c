// Another library of another size, so that the two do not always take each other's place.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char table[70000] = {1};

uint64_t work(uint64_t value, uint64_t (*back)(uint64_t)) {
  memcpy(table + value % 30000, table + 35000, value % 3000);
  char* block = calloc(1, value % 100 + 1);
  if (!block) return 0;
  const uint64_t result = back(value ^ (uint64_t)block[0]);
  free(block);
  return result + (uint64_t)table[69999] + 2;
}
