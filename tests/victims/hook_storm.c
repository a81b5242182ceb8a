// Two kinds of turns: `storm` does nothing but call hooks, `quiet` calls none. Knows how long the quiet ones took.
#include "victim.h"

static void storm(void) {
  for (int i = 0; i < 2000; ++i) {
    void* volatile block = malloc(64);
    free(block);
  }
}

static void quiet(void) {
  for (int i = 0; i < 400000; ++i) __asm__ volatile("");
}

int main(int argc, char** argv) {
  const int64_t until = process_cpu_ns() + argument(argc, argv, 1, 3000) * 1000000;
  int64_t quiet_ns = 0;
  while (process_cpu_ns() < until) {
    storm();
    const int64_t began = thread_cpu_ns();
    quiet();
    quiet_ns += thread_cpu_ns() - began;
  }
  fact("quiet_ns", quiet_ns);
  fact("cpu_ns", rusage_cpu_ns());
  return 0;
}
