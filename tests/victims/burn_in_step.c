// Five functions burn two milliseconds each, in turns of ten by the clock that ticks are counted by.
#include "victim.h"

static const int64_t kPart = 2000000;
static int64_t end_of_part(void) { return (thread_cpu_ns() / kPart + 1) * kPart; }

#define PART(name)                                    \
  void name(int64_t until) {                          \
    static volatile uint32_t x;                       \
    while (thread_cpu_ns() < until)                   \
      for (int i = 0; i < 20000; ++i) x = x * 31 + 7; \
  }
PART(burn_first)
PART(burn_second)
PART(burn_third)
PART(burn_fourth)
PART(burn_fifth)

int main(int argc, char** argv) {
  void (*const parts[])(int64_t) = {burn_first, burn_second, burn_third, burn_fourth, burn_fifth};
  const int64_t until = thread_cpu_ns() + argument(argc, argv, 1, 4000) * 1000000;
  while (thread_cpu_ns() < until) parts[thread_cpu_ns() / kPart % 5](end_of_part());
  return 0;
}
