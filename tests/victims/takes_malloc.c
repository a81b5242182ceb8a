// An executable at a fixed address that takes malloc's address has a stub for it, as Debian's python3.
#include <stdlib.h>

#include "victim.h"

static void* (*volatile allocate)(size_t);

int main(void) {
  allocate = malloc;
  for (int i = 0; i < 1000; ++i) free(allocate(100));
  fact("done", 1);
  return 0;
}
