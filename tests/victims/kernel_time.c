// Spends about half of its CPU time in system calls and half in its own code, in turns shorter and longer than a
// period.
#include <fcntl.h>

#include "victim.h"

static char block[1 << 18];
static int zeros;

void in_kernel(int64_t ns) {
  const int64_t until = thread_cpu_ns() + ns;
  while (thread_cpu_ns() < until) EXPECT(read(zeros, block, sizeof block) == sizeof block);
}

void in_user(int64_t ns) { BURN_NS(ns); }

int main(int argc, char** argv) {
  const int64_t until = process_cpu_ns() + argument(argc, argv, 1, 3000) * 1000000;
  EXPECT((zeros = open("/dev/zero", O_RDONLY)) >= 0);
  uint32_t seed = 11;
  int64_t kernel_ns = 0, user_ns = 0;
  while (process_cpu_ns() < until) {
    const int64_t turn = 200000 + (int64_t)(next_random(&seed) % 20000) * 1000;
    const int64_t start = thread_cpu_ns();
    in_kernel(turn);
    const int64_t middle = thread_cpu_ns();
    in_user(turn);
    kernel_ns += middle - start;
    user_ns += thread_cpu_ns() - middle;
  }
  fact("kernel_ns", kernel_ns);
  fact("user_ns", user_ns);
  return 0;
}
