// Many threads that wait, under a limit on pending signals that leaves room for the timers and signals of the program:
// it has them, bare and under a profiler.
#include "victim.h"

enum { kThreads = 300, kOwn = 20 };

static pthread_barrier_t started;

static void* wait_for_end(void* unused) {
  pthread_barrier_wait(&started);
  for (;;) pause();
  return unused;
}

int main(void) {
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, SIGRTMIN + 5);
  EXPECT(sigprocmask(SIG_BLOCK, &own, NULL) == 0);
  EXPECT(pthread_barrier_init(&started, NULL, kThreads + 1) == 0);
  for (int i = 0; i < kThreads; ++i) {
    pthread_attr_t small;
    pthread_t thread;
    EXPECT(pthread_attr_init(&small) == 0 && pthread_attr_setstacksize(&small, 65536) == 0);
    EXPECT(pthread_create(&thread, &small, wait_for_end, NULL) == 0);
  }
  pthread_barrier_wait(&started);
  for (int i = 0; i < kOwn; ++i) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    timer_t timer;
    EXPECT(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    const union sigval content = {.sival_int = i};
    EXPECT(sigqueue(getpid(), SIGRTMIN + 5, content) == 0);
  }
  burn_ms(50);
  dprintf(1, "done\n");
  return 0;
}
