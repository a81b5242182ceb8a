// Takes SIGPROF, SIGVTALRM, SIGALRM and every real-time signal for itself, and counts what arrives.
#include "victim.h"

static volatile int received[65];
static volatile long long sums[65];
static volatile int strangers, stranger;

static void handler(int number, siginfo_t* info, void* context) {
  (void)context;
  if (info->si_code != SI_QUEUE || info->si_pid != getpid()) {
    stranger = number;
    ++strangers;
    return;
  }
  ++received[number];
  sums[number] += info->si_value.sival_int;
}

static int wanted(int number) {
  return number == SIGPROF || number == SIGVTALRM || number == SIGALRM || (number >= SIGRTMIN && number <= SIGRTMAX);
}

static void* burn_thread(void* unused) {
  (void)unused;
  burn_ms(150);
  return NULL;
}

int main(void) {
  // Before anything else: the host is alone, as far as it can ask.
  struct sigaction action, old;
  for (int number = 1; number <= SIGRTMAX; ++number) {
    if (number >= 32 && number < SIGRTMIN) continue;
    EXPECT(sigaction(number, NULL, &old) == 0);
    EXPECT(old.sa_handler == SIG_DFL);
  }
  sigset_t mask;
  EXPECT(sigprocmask(SIG_SETMASK, NULL, &mask) == 0);
  for (int number = 1; number <= SIGRTMAX; ++number) EXPECT(sigismember(&mask, number) != 1);

  burn_ms(100);  // ticks are under way when their signal is taken away
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  for (int number = 1; number <= SIGRTMAX; ++number) {
    if (!wanted(number)) continue;
    EXPECT(sigaction(number, &action, &old) == 0);
    EXPECT(old.sa_handler == SIG_DFL);
    burn_ms(3);
  }
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, burn_thread, NULL) == 0);
  for (int value = 1; value <= 20; ++value) {
    for (int number = 1; number <= SIGRTMAX; ++number) {
      if (!wanted(number)) continue;
      const union sigval content = {.sival_int = value * number};
      EXPECT(sigqueue(getpid(), number, content) == 0);
    }
    burn_ms(5);
  }
  EXPECT(pthread_join(thread, NULL) == 0);
  for (int number = 1; number <= SIGRTMAX; ++number) {
    if (!wanted(number)) continue;
    // Ordinary signals may be merged while pending; each was waited for here, so none is.
    EXPECT(received[number] == 20);
    EXPECT(sums[number] == 210LL * number);
    EXPECT(sigaction(number, NULL, &old) == 0);
    EXPECT(old.sa_sigaction == handler && (old.sa_flags & SA_SIGINFO));
  }
  if (strangers != 0) dprintf(2, "signal %d came from a stranger\n", stranger);
  EXPECT(strangers == 0);
  // And given back: the default action is in force again.
  for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) EXPECT(signal(number, SIG_DFL) != SIG_ERR);
  burn_ms(100);
  const pid_t pid = fork();
  if (pid == 0) {
    kill(getpid(), SIGRTMIN + 3);
    _exit(1);
  }
  int status;
  EXPECT(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGRTMIN + 3);
  fact("signals", 20);
  return 0;
}
