// What the libraries of take_turns do.
#pragma once

#include <stdlib.h>

static void take_turn(int n) {
  free(malloc(3000000));
  for (int i = 0; i < n; ++i) __asm__ volatile("");
}
