// Linked statically: no preloaded library ever sees it.
#include <stdio.h>

int main(void) {
  puts("hello from a static program");
  return 21;
}
