// Receives real-time signals without a handler for them: by sigwait, sigtimedwait, signalfd, from timers, and while
// other threads have blocked all signals. Prints how many came.
//   signal_receivers wait | descriptor | all | timer | pool | nobody | racing
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "victim.h"

static sigset_t wanted(int first, int last) {
  sigset_t out;
  sigemptyset(&out);
  for (int s = first; s <= last; ++s) sigaddset(&out, s);
  EXPECT(pthread_sigmask(SIG_BLOCK, &out, NULL) == 0);
  return out;
}

static void* burn_and_wait(void* stop) {
  BURN_NS(50 * 1000 * 1000);
  while (!__atomic_load_n((int*)stop, __ATOMIC_ACQUIRE)) usleep(1000);
  return NULL;
}

static int received_by_wait(const sigset_t* set) {
  int count = 0;
  const struct timespec limit = {0, 200000000};
  while (sigtimedwait(set, NULL, &limit) > 0) ++count;
  return count;
}

// The whole process is asked: whichever thread does not block the signal gets it.
static int in_a_pool(int signal) {
  sigset_t all, before;
  int stop = 0, count = 0;
  sigfillset(&all);
  EXPECT(pthread_sigmask(SIG_SETMASK, &all, &before) == 0);
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) EXPECT(pthread_create(&threads[i], NULL, burn_and_wait, &stop) == 0);
  BURN_NS(50 * 1000 * 1000);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  const struct timespec no_time = {0, 0};
  EXPECT(sigtimedwait(&one, NULL, &no_time) == -1);
  for (int i = 0; i < 20; ++i) {
    EXPECT(kill(getpid(), signal) == 0);
    count += received_by_wait(&one);
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
  for (int i = 0; i < 3; ++i) EXPECT(pthread_join(threads[i], NULL) == 0);
  EXPECT(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
  return count;
}

// Names one real-time signal after the other, as others do at the same moment.
static void* name_signals(void* step) {
  const int by = (int)(long)step;
  sigset_t one, before;
  for (int i = 0; i < 300; ++i) {
    sigemptyset(&one);
    sigaddset(&one, SIGRTMAX - (i * by) % 20);
    EXPECT(pthread_sigmask(SIG_BLOCK, &one, &before) == 0);
    BURN_NS(100 * 1000);
    EXPECT(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
  }
  return NULL;
}

static int racing(void) {
  pthread_t threads[6];
  for (long i = 0; i < 6; ++i) EXPECT(pthread_create(&threads[i], NULL, name_signals, (void*)(i + 1)) == 0);
  for (int i = 0; i < 6; ++i) EXPECT(pthread_join(threads[i], NULL) == 0);
  return 6;
}

static int from_a_timer(int signal) {
  const sigset_t set = wanted(signal, signal);
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = signal};
  EXPECT(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  const struct itimerspec often = {{0, 5000000}, {0, 5000000}};
  EXPECT(timer_settime(timer, 0, &often, NULL) == 0);
  int count = 0;
  for (int i = 0; i < 20; ++i) count += sigwaitinfo(&set, NULL) == signal;
  return count;
}

static int by_descriptor(int first, int last) {
  const sigset_t set = wanted(first, last);
  const int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  EXPECT(fd >= 0);
  BURN_NS(50 * 1000 * 1000);
  for (int s = first; s <= last; ++s) EXPECT(kill(getpid(), s) == 0);
  BURN_NS(50 * 1000 * 1000);
  struct signalfd_siginfo info;
  int count = 0;
  while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) count += info.ssi_signo >= (unsigned)first;
  return count;
}

int main(int argc, char** argv) {
  EXPECT(argc == 2);
  const int one = SIGRTMAX - 2;
  int count = 0;
  if (strcmp(argv[1], "wait") == 0) {
    const sigset_t set = wanted(one, one);
    EXPECT(kill(getpid(), one) == 0);
    count = received_by_wait(&set);
  } else if (strcmp(argv[1], "descriptor") == 0) {
    count = by_descriptor(SIGRTMIN + 20, SIGRTMIN + 29);
  } else if (strcmp(argv[1], "all") == 0) {
    count = by_descriptor(SIGRTMIN, SIGRTMAX);
  } else if (strcmp(argv[1], "timer") == 0) {
    count = from_a_timer(one);
  } else if (strcmp(argv[1], "pool") == 0) {
    count = in_a_pool(one);
  } else if (strcmp(argv[1], "racing") == 0) {
    count = racing();
  } else if (strcmp(argv[1], "nobody") == 0) {
    const sigset_t set = wanted(one, one);
    EXPECT(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
    BURN_NS(50 * 1000 * 1000);
    kill(getpid(), one);
  }
  printf("%s: %d\n", argv[1], count);
  return 0;
}
