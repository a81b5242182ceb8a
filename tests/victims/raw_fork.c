// Makes children behind libc's back, or so that no fork handler runs. They allocate and burn, in whoever's name.
#include <sched.h>

#include "victim.h"

static pid_t child_by(const char* how) {
  if (strcmp(how, "_Fork") == 0) return _Fork();
  if (strcmp(how, "fork") == 0) return (pid_t)syscall(SYS_fork);
  return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static void in_child(void) {
  burn_ms(60);
  for (int i = 0; i < 50000; ++i) free(malloc(1000));
}

static int on_stack(void* unused) {
  (void)unused;
  in_child();
  return 0;
}

int main(int argc, char** argv) {
  EXPECT(argc > 1);
  const char* how = argv[1];
  burn_ms(60);
  for (int i = 0; i < 1000; ++i) free(malloc(1000));
  pid_t pid;
  if (strcmp(how, "clone-stack") == 0) {
    char* stack = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pid = clone(on_stack, stack + (1 << 20), SIGCHLD, NULL);
  } else {
    pid = child_by(how);
    if (pid == 0) {
      in_child();
      _exit(0);
    }
  }
  EXPECT(pid > 0);
  int status;
  EXPECT(waitpid(pid, &status, 0) == pid);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  for (int i = 0; i < 1000; ++i) free(malloc(1000));
  fact("child", pid);
  return 23;
}
