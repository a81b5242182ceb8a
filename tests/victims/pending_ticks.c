// A thread holds back all signals, past libc, while it works; meanwhile the program sets what each real-time signal
// does. Then the thread lets through what has come: nothing of it is the program's.
#include <sched.h>

#include "victim.h"

static volatile int strangers, worked, taken;

static void handler(int number) {
  (void)number;
  ++strangers;
}

static void* work(void* unused) {
  const uint64_t all = ~0ULL, none = 0;
  EXPECT(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all) == 0);
  burn_ms(50);
  worked = 1;
  while (!taken) sched_yield();
  EXPECT(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof none) == 0);
  burn_ms(20);
  return unused;
}

int main(int argc, char** argv) {
  const int handled = argument(argc, argv, 1, 0) != 0;
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, work, NULL) == 0);
  while (!worked) usleep(1000);
  // From below: the last one is that which ticks are expected to come by.
  for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) signal(number, handled ? handler : SIG_DFL);
  taken = 1;
  EXPECT(pthread_join(thread, NULL) == 0);
  EXPECT(strangers == 0);
  dprintf(1, "done\n");
  return 0;
}
