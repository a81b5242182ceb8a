/* kill_at_random COUNT MAX_MS COMMAND...: starts COMMAND (two at a time, LD_PRELOAD from CHILD_PRELOAD) and kills its
 * process group at a random moment up to MAX_MS after the start, COUNT times. Prints how many had ended by themselves
 * before: that must be none for a command that runs until it is killed. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  int count = atoi(argv[1]), too_early = 0;
  double max_ms = atof(argv[2]);
  const char* preload = getenv("CHILD_PRELOAD");
  srand48(time(NULL) ^ getpid());
  for (int done = 0; done < count; done += 2) {
    pid_t pids[2];
    for (int i = 0; i < 2; ++i) {
      pids[i] = fork();
      if (pids[i] < 0) return 1;
      if (pids[i] == 0) {
        setpgid(0, 0);
        if (preload) setenv("LD_PRELOAD", preload, 1);
        execvp(argv[3], argv + 3);
        _exit(127);
      }
      setpgid(pids[i], pids[i]);
    }
    for (int i = 0; i < 2; ++i) {
      long ns = (long)(drand48() * max_ms * 1e6 / 2);
      struct timespec pause = {ns / 1000000000, ns % 1000000000};
      nanosleep(&pause, NULL);
      kill(-pids[i], SIGKILL);
      int status;
      if (waitpid(pids[i], &status, 0) == pids[i] && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)) ++too_early;
    }
  }
  printf("%d\n", too_early);
  return too_early ? 1 : 0;
}
