// Waits for children that live for known times, and keeps an account of it.
#include <spawn.h>

#include "wait_ledger.h"

extern char** environ;

static pid_t child_for(long ms, int code) {
  const pid_t pid = fork();
  if (pid == 0) {
    sleep_ms(ms);
    _exit(code);
  }
  return pid;
}

static void by_waitpid(void) {
  int status = 0;
  const pid_t pid = child_for(300, 3);
  EXPECT(WAITED(waitpid, pid, &status, WNOHANG) == 0);
  EXPECT(WAITED(waitpid, pid, &status, 0) == pid && WEXITSTATUS(status) == 3);
  EXPECT(WAITED(waitpid, pid, &status, 0) == -1 && errno == ECHILD);
}

static void by_others(void) {
  int status = 0;
  struct rusage usage;
  siginfo_t info;
  pid_t pid = child_for(110, 4);
  EXPECT(WAITED(wait, &status) == pid && WEXITSTATUS(status) == 4);
  pid = child_for(110, 5);
  EXPECT(WAITED(wait3, NULL, 0, &usage) == pid);
  pid = child_for(110, 6);
  EXPECT(WAITED(wait4, pid, &status, 0, &usage) == pid && WEXITSTATUS(status) == 6);
  pid = child_for(110, 7);
  EXPECT(WAITED(waitid, P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0 && info.si_status == 7);
  EXPECT(WAITED(waitid, P_PID, (id_t)pid, NULL, WEXITED) == 0);
}

static void by_shell(void) {
  EXPECT(WAITED(system, "sleep 0.3; exit 9") == 9 << 8);
  FILE* stream = popen("sleep 0.3", "w");
  EXPECT(stream != NULL && WAITED(pclose, stream) == 0);
}

static void by_spawn(void) {
  pid_t pid = 0;
  int status = 0;
  char* argv[] = {(char*)"sleep", (char*)"0.3", NULL};
  EXPECT(WAITED(posix_spawnp, &pid, "sleep", NULL, NULL, argv, environ) == 0);
  EXPECT(WAITED(waitpid, pid, &status, 0) == pid && status == 0);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } ways[] = {{"waitpid", by_waitpid}, {"others", by_others}, {"shell", by_shell}, {"spawn", by_spawn}};
  EXPECT(argc > 1);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
    if (strcmp(argv[1], ways[i].name) != 0) continue;
    ways[i].run();
    print_ledger();
    return 0;
  }
  return VICTIM_FAILED;
}
