// Allocates in a signal handler that interrupts code which does not, while other threads allocate too.
#include <sys/time.h>

#include "victim.h"

static volatile long in_handler;
static long in_threads[2];
static long rounds;

static void handler(int number) {
  (void)number;
  const int before = errno;
  void* p = malloc(1000);
  EXPECT(p != NULL);
  free(p);
  ++in_handler;
  errno = before;
}

static void* churn(void* index) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  for (long i = 0; i < rounds; ++i) {
    free(malloc(1000));
    ++in_threads[(long)index];
  }
  return NULL;
}

int main(int argc, char** argv) {
  rounds = argument(argc, argv, 1, 300000);
  free(malloc(1));  // the main thread's arena exists
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) EXPECT(pthread_create(&threads[i], NULL, churn, (void*)i) == 0);
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  EXPECT(sigaction(SIGALRM, &action, NULL) == 0);
  struct itimerval every = {{0, 500}, {0, 500}};
  if (rounds > 0) setitimer(ITIMER_REAL, &every, NULL);
  errno = 1234;
  BURN_NS(rounds > 0 ? 500000000 : 1);
  EXPECT(errno == 1234);
  every.it_interval.tv_usec = every.it_value.tv_usec = 0;
  setitimer(ITIMER_REAL, &every, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  const long count = in_handler + in_threads[0] + in_threads[1];
  EXPECT(rounds == 0 || in_handler > 0);
  fact("allocations", count);
  fact("bytes", count * 1000);
  fact("frees", count);
  return 0;
}
