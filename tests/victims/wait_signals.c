// Waits for its own signals in every way, having burned CPU time just before: whatever wakes it must be its own.
#include <sys/signalfd.h>

#include "victim.h"

static volatile int handled;
static void on_usr1(int number) {
  (void)number;
  ++handled;
}

static volatile int stop;
static pthread_t waiter;
static volatile long waiting_for;  // rounds the waiter has begun

// Sends one signal for each round, once the waiter is (about to be) asleep.
static void* sender(void* unused) {
  for (long sent = 0; !stop;) {
    if (waiting_for > sent) {
      usleep(8000);
      pthread_kill(waiter, SIGUSR1);
      ++sent;
    }
    usleep(200);
  }
  return unused;
}

static void by_sigwaitinfo(void) {
  sigset_t all;
  siginfo_t info;
  sigfillset(&all);
  EXPECT(sigwaitinfo(&all, &info) == SIGUSR1);
  EXPECT(info.si_signo == SIGUSR1 && info.si_pid == getpid());
}
static void by_sigwait(void) {
  sigset_t all;
  int number = 0;
  sigfillset(&all);
  EXPECT(sigwait(&all, &number) == 0 && number == SIGUSR1);
}
static void by_signalfd(void) {
  sigset_t all;
  sigfillset(&all);
  const int fd = signalfd(-1, &all, SFD_CLOEXEC);
  struct signalfd_siginfo info;
  EXPECT(fd >= 0 && read(fd, &info, sizeof info) == sizeof info);
  EXPECT(info.ssi_signo == SIGUSR1);
  close(fd);
}
static void by_sigsuspend(void) {
  sigset_t none;
  sigemptyset(&none);
  const int before = handled;
  EXPECT(sigsuspend(&none) == -1 && errno == EINTR);
  EXPECT(handled == before + 1);
}

int main(int argc, char** argv) {
  static void (*const ways[])(void) = {by_sigwaitinfo, by_sigwait, by_signalfd, by_sigsuspend};
  const long rounds = argument(argc, argv, 1, 25);
  waiter = pthread_self();
  struct sigaction action = {.sa_handler = on_usr1, .sa_flags = SA_RESTART};
  EXPECT(sigaction(SIGUSR1, &action, NULL) == 0);
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, sender, NULL) == 0);
  sigset_t all;
  sigfillset(&all);
  EXPECT(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
  for (long round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
      BURN_NS(1500000 + round * 41000);
      ++waiting_for;
      ways[i]();
    }
  }
  stop = 1;
  pthread_join(thread, NULL);
  fact("rounds", rounds);
  return 0;
}
