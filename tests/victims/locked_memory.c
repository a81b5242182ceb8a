// Locks all its memory, present and future, as real-time programs do. Prints what that comes to.
#include "victim.h"

int main(void) {
  burn_ms(20);
  fact("locked", mlockall(MCL_CURRENT | MCL_FUTURE));
  for (int i = 0; i < 1000; ++i) free(malloc(100000));
  burn_ms(50);
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  dprintf(2, "%ld\n", u.ru_maxrss);
  return 0;
}
