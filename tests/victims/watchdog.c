// A watchdog: it sends a busy thread a signal, whose handler takes a backtrace, and needs much of the thread's stack.
#include <execinfo.h>
#include <stdatomic.h>

#include "victim.h"

static atomic_int taken;
static volatile int stop, shortest = 1000;

static void on_signal(int signal) {
  (void)signal;
  char much[200 << 10];
  memset(much, 1, sizeof(much));
  __asm__ volatile("" : : "r"(much) : "memory");
  void* frames[64];
  const int depth = backtrace(frames, 64);
  if (depth < shortest) shortest = depth;
  ++taken;
}

static void* works(void* unused) {
  while (!stop) {
    for (int i = 0; i < 1000; ++i) __asm__ volatile("");
    free(malloc(100));
  }
  return unused;
}

int main(int argc, char** argv) {
  const int signals[] = {SIGABRT, SIGTRAP, SIGUSR1};
  const long count = argument(argc, argv, 1, 3000);
  void* first[4];
  backtrace(first, 4);  // loads what it needs
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, works, NULL) == 0);
  for (int s = 0; s < 3; ++s) {
    signal(signals[s], on_signal);
    for (long i = 0; i < count; ++i) {
      const int before = taken;
      EXPECT(pthread_kill(thread, signals[s]) == 0);
      while (taken == before) sched_yield();
    }
  }
  stop = 1;
  pthread_join(thread, NULL);
  fact("taken", taken);
  EXPECT(shortest >= 3);
  return 0;
}
