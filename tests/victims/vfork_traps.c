// A child by vfork runs in its parent's memory until it execs or ends: what it does there must not be taken for the
// parent's.
#include "victim.h"

static void child_that(const char* what) {
  char* argv[] = {(char*)"/bin/true", NULL};
  char* wrong[] = {(char*)"/does/not/exist", NULL};
  const pid_t pid = vfork();
  if (pid == 0) {
    if (strcmp(what, "ends") == 0) _exit(5);
    if (strcmp(what, "execs") == 0) execv(argv[0], argv);
    execv(wrong[0], wrong);
    _exit(6);
  }
  int status;
  EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
  EXPECT(WEXITSTATUS(status) == (strcmp(what, "ends") == 0 ? 5 : strcmp(what, "execs") == 0 ? 0 : 6));
}

int main(void) {
  for (int i = 0; i < 100; ++i) {
    child_that("ends");
    child_that("execs");
    child_that("fails");
    free(malloc(1000));
  }
  burn_ms(100);
  dprintf(1, "ready\n");
  raise(SIGKILL);
  return 0;
}
