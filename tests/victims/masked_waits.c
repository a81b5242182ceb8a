// Waits, with a mask of signals for as long as it waits, for signals of a timer: each of them must end the call in
// which its handler ran, so that none is missed.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "victim.h"

static volatile long handled;
static void on_usr1(int number) {
  (void)number;
  ++handled;
}

static sigset_t none;
static int set;

static int by_sigsuspend(void) { return sigsuspend(&none); }
static int by_ppoll(void) {
  const struct timespec long_enough = {20, 0};
  return ppoll(NULL, 0, &long_enough, &none);
}
static int by_pselect(void) { return pselect(0, NULL, NULL, NULL, NULL, &none); }
static int by_epoll_pwait(void) {
  struct epoll_event event;
  return epoll_pwait(set, &event, 1, -1, &none);
}

// What the kernel refuses comes back as that, whoever looks at the mask before.
static void check_refusals(void) {
  const sigset_t* volatile nowhere = (const sigset_t*)8;
  struct epoll_event event;
  EXPECT(sigsuspend(nowhere) == -1 && errno == EFAULT);
  EXPECT(ppoll(NULL, 0, NULL, nowhere) == -1 && errno == EFAULT);
  EXPECT(pselect(0, NULL, NULL, NULL, NULL, nowhere) == -1 && errno == EFAULT);
  EXPECT(epoll_pwait(set, &event, 1, -1, nowhere) == -1 && errno == EFAULT);
}

int main(int argc, char** argv) {
  static int (*const ways[])(void) = {by_sigsuspend, by_ppoll, by_pselect, by_epoll_pwait};
  const long rounds = argument(argc, argv, 1, 1000);
  sigemptyset(&none);
  set = epoll_create1(EPOLL_CLOEXEC);
  EXPECT(set >= 0);
  check_refusals();
  struct sigaction action = {.sa_handler = on_usr1};
  EXPECT(sigaction(SIGUSR1, &action, NULL) == 0);
  sigset_t held;
  sigemptyset(&held);
  sigaddset(&held, SIGUSR1);
  EXPECT(pthread_sigmask(SIG_BLOCK, &held, NULL) == 0);

  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  EXPECT(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  const struct itimerspec every = {{0, 700000}, {0, 700000}};
  EXPECT(timer_settime(timer, 0, &every, NULL) == 0);
  for (long round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
      BURN_NS(100000 + round % 100 * 1000);
      const long before = handled;
      EXPECT(ways[i]() == -1 && errno == EINTR);
      EXPECT(handled == before + 1);
    }
  }
  fact("rounds", rounds);
  return 0;
}
