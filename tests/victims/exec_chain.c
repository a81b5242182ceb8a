// Replaces itself by itself as often as asked for, burning 20 ms of CPU time in each of its lives.
#include "victim.h"

int main(int argc, char** argv) {
  const long left = argument(argc, argv, 1, 10);
  burn_ms(20);
  free(malloc(1000));
  if (left == 0) {
    fact("cpu_ns", rusage_cpu_ns());
    return 0;
  }
  char next[32];
  snprintf(next, sizeof next, "%ld", left - 1);
  execl(argv[0], argv[0], next, (char*)NULL);
  return VICTIM_FAILED;
}
