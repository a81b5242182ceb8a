// Launchers give a child by vfork, or by clone in the parent's memory, the default for all signals and a mask of its
// own. That is no matter of the parent's, which asks what it has set, and makes threads that work.
#include <sched.h>

#include "victim.h"

static void* work(void* unused) {
  burn_ms(60);
  return unused;
}

static void as_a_launcher(void) {
  for (int number = 1; number <= SIGRTMAX; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

static int cloned(void* unused) {
  (void)unused;
  as_a_launcher();
  execl("/bin/true", "true", (char*)NULL);
  _exit(1);
}

static pid_t child_by(int way) {
  static char stack[64 << 10] __attribute__((aligned(16)));
  if (way == 1) return clone(cloned, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
  const pid_t pid = vfork();
  if (pid == 0) {
    as_a_launcher();
    execl("/bin/true", "true", (char*)NULL);
    _exit(1);
  }
  return pid;
}

int main(void) {
  for (int way = 0; way < 2; ++way) {
    sigset_t all, before, now;
    sigfillset(&all);
    EXPECT(sigprocmask(SIG_SETMASK, &all, &before) == 0);
    const pid_t pid = child_by(way);
    int status;
    EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
    EXPECT(sigprocmask(SIG_SETMASK, &before, &now) == 0);
    for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) EXPECT(sigismember(&now, number) == 1);
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, work, NULL) == 0 && pthread_join(thread, NULL) == 0);
  }
  dprintf(1, "done\n");
  return 0;
}
