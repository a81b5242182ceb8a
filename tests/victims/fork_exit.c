// A tree of forks whose leaves end in every way in which nothing is cleaned up.
#include "victim.h"

static pid_t leaf(int how) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  burn_ms(160);
  for (int i = 0; i < 1000; ++i) free(malloc(100));
  switch (how) {
    case 0:
      _exit(5);
    case 1:
      kill(getpid(), SIGKILL);
      break;
    case 2:
      abort();
    case 3:
      quick_exit(6);
    case 4:
      exit(7);
    default:
      syscall(SYS_exit_group, 8);
  }
  _exit(VICTIM_FAILED);
}

int main(void) {
  static const char* names[] = {"_exit", "kill", "abort", "quick_exit", "exit", "exit_group"};
  burn_ms(160);
  for (int how = 0; how < 6; ++how) {
    const pid_t pid = leaf(how);
    EXPECT(waitpid(pid, NULL, 0) == pid);
    fact(names[how], pid);
  }
  return 0;
}
