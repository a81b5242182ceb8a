// Burns and allocates below a stack of as many frames as asked for.
#include "victim.h"

static void* kept;

void at_the_bottom(void) {
  BURN_NS(300000000);
  kept = malloc(50 << 20);
}

void down(long depth) {
  if (depth > 0)
    down(depth - 1);
  else
    at_the_bottom();
}

int main(int argc, char** argv) {
  down(argument(argc, argv, 1, 500));
  EXPECT(kept != NULL);
  return 0;
}
