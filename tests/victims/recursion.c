// Burns most of its time below functions that call themselves, directly and through one another.
#include "victim.h"

void leaf_work(void) { BURN_NS(2000000); }

void direct(int depth) {
  if (depth == 0) {
    leaf_work();
    return;
  }
  BURN_NS(500000);
  direct(depth - 1);
}

void odd(int depth);
void even(int depth) {
  BURN_NS(500000);
  if (depth > 0) odd(depth - 1);
}
void odd(int depth) {
  BURN_NS(500000);
  if (depth > 0) even(depth - 1);
}

int main(int argc, char** argv) {
  const long rounds = argument(argc, argv, 1, 40);
  int64_t direct_ns = 0, mutual_ns = 0;
  for (long i = 0; i < rounds; ++i) {
    int64_t start = thread_cpu_ns();
    direct(40);
    direct_ns += thread_cpu_ns() - start;
    start = thread_cpu_ns();
    even(39);
    mutual_ns += thread_cpu_ns() - start;
  }
  fact("direct_ns", direct_ns);
  fact("mutual_ns", mutual_ns);
  fact("cpu_ns", rusage_cpu_ns());
  return 0;
}
