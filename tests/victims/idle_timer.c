// A server without customers: a thread that waits for ever, and one that wakes up twenty times a second for nothing.
#include <poll.h>

#include "victim.h"

static int ends[2];

static void* wait_for_work(void* unused) {
  char byte;
  EXPECT(read(ends[0], &byte, 1) == 1);
  return unused;
}

int main(int argc, char** argv) {
  EXPECT(pipe(ends) == 0);
  pthread_t worker;
  EXPECT(pthread_create(&worker, NULL, wait_for_work, NULL) == 0);
  const int64_t until = now_ns() + argument(argc, argv, 1, 6) * 1000000000;
  while (now_ns() < until) EXPECT(poll(NULL, 0, 50) == 0);
  EXPECT(write(ends[1], "", 1) == 1);
  EXPECT(pthread_join(worker, NULL) == 0);
  fact("cpu_ns", rusage_cpu_ns());
  return 0;
}
