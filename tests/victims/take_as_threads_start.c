// Takes one real-time signal after the other while threads start: nobody sends any, so that no handler may run, and
// nothing may end the program.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "victim.h"

enum { starters = 3, last_signal = 62, first_signal = 36 };

static volatile int stop;
static volatile long foreign;

static void on_signal(int number, siginfo_t* info, void* context) {
  (void)number, (void)info, (void)context;
  __atomic_fetch_add(&foreign, 1, __ATOMIC_RELAXED);
}

static void* live(void* unused) {
  BURN_NS(300000);
  return unused;
}

static void* start(void* unused) {
  while (!stop) {
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) EXPECT(pthread_create(&threads[i], NULL, live, NULL) == 0);
    for (int i = 0; i < 4; ++i) EXPECT(pthread_join(threads[i], NULL) == 0);
  }
  return unused;
}

static void take(int signal) {
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  EXPECT(sigaction(signal, &action, NULL) == 0);
}

int main(void) {
  pthread_t threads[starters];
  for (int i = 0; i < starters; ++i) EXPECT(pthread_create(&threads[i], NULL, start, NULL) == 0);
  for (int s = last_signal; s >= first_signal; --s) {
    take(s);
    usleep(3000);
  }
  stop = 1;
  for (int i = 0; i < starters; ++i) EXPECT(pthread_join(threads[i], NULL) == 0);
  fact("foreign", foreign);
  return foreign != 0;
}
