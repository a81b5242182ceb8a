// A child moves to a mount namespace of its own, as builders of containers do, and has a child there that works.
#include <sched.h>

#include "victim.h"

static int ended(pid_t pid) {
  int status;
  EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
  return WEXITSTATUS(status);
}

static int in_namespace(void) {
  if (unshare(CLONE_NEWNS) != 0) return 1;
  const pid_t pid = fork();
  if (pid == 0) {
    burn_ms(30);
    fact("pid", getpid());
    exit(0);
  }
  return ended(pid);
}

int main(void) {
  const pid_t pid = fork();
  if (pid == 0) exit(in_namespace());
  fact("refused", ended(pid));
  return 0;
}
