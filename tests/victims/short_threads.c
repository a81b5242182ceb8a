// Threads that live for less time than a tick of the kernel's, one after the other: short_threads MICROSECONDS MS.
// Three quarters of each are spent in one function, the rest in another. Prints the CPU time of
// both and of the process. A thread takes from half to one and a half of MICROSECONDS: where all are alike, eleven of
// them can last exactly as long as a tick, and every tick finds the same function.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "victim.h"

static int64_t most_ns, rest_ns;

void three_quarters(long us) { BURN_NS(us * 750); }
void one_quarter(long us) { BURN_NS(us * 250); }

static void* live(void* us) {
  const int64_t start = thread_cpu_ns();
  three_quarters((long)us);
  const int64_t between = thread_cpu_ns();
  one_quarter((long)us);
  most_ns += between - start;
  rest_ns += thread_cpu_ns() - between;
  return NULL;
}

int main(int argc, char** argv) {
  EXPECT(argc == 3);
  const long us = atol(argv[1]), count = atol(argv[2]) * 1000 / us;
  uint32_t state = 1;
  for (long i = 0; i < count; ++i) {
    pthread_t thread;
    const long one = us / 2 + (long)(next_random(&state) % (uint32_t)(us + 1));
    EXPECT(pthread_create(&thread, NULL, live, (void*)one) == 0);
    EXPECT(pthread_join(thread, NULL) == 0);
  }
  struct timespec cpu;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  fact("cpu_ns", cpu.tv_sec * 1000000000L + cpu.tv_nsec);
  fact("most_ns", most_ns);
  fact("rest_ns", rest_ns);
  return 0;
}
