// Three functions burn 60, 30 and 10 % of the CPU time. Turns have uneven lengths, so that a sampler with a fixed
// period cannot fall into step with them.
#include "victim.h"

void burn_sixty(int64_t ns) { BURN_NS(ns * 60 / 100); }
void burn_thirty(int64_t ns) { BURN_NS(ns * 30 / 100); }
void burn_ten(int64_t ns) { BURN_NS(ns * 10 / 100); }

int main(int argc, char** argv) {
  const int64_t until = process_cpu_ns() + argument(argc, argv, 1, 4000) * 1000000;
  uint32_t seed = 42;
  while (process_cpu_ns() < until) {
    const int64_t turn = 20000000 + (int64_t)(next_random(&seed) % 100000) * 1000;
    burn_sixty(turn);
    burn_thirty(turn);
    burn_ten(turn);
  }
  fact("cpu_ns", rusage_cpu_ns());
  return 0;
}
