// For victims that tell what they take of memory.
#pragma once

#include "victim.h"

static inline long resident_kib(void) {
  long size = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  EXPECT(file != NULL && fscanf(file, "%ld %ld", &size, &resident) == 2);
  fclose(file);
  return resident * 4;
}
