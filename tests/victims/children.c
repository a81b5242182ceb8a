// Starts a child in one of the many ways there are, most of them with an environment that has nothing of us.
#include <fcntl.h>
#include <spawn.h>

#include "victim.h"

extern char** environ;
static char* empty[] = {NULL};
static char marker[4096];

static void await(pid_t pid) {
  int status;
  EXPECT(pid > 0);
  EXPECT(waitpid(pid, &status, 0) == pid);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void run_shell(int (*run)(const char*)) {
  char line[8192];
  snprintf(line, sizeof line, "%s shell", marker);
  EXPECT(run(line) == 0);
}

static int by_popen(const char* line) {
  char text[4096];
  FILE* pipe = popen(line, "r");
  EXPECT(pipe != NULL);
  for (size_t n; (n = fread(text, 1, sizeof text, pipe)) > 0;) EXPECT(write(1, text, n) == (ssize_t)n);
  return pclose(pipe);
}

static void exec_as(const char* how) {
  char* argv[] = {marker, (char*)how, NULL};
  char name[] = "child_marker";
  char* short_argv[] = {name, (char*)how, NULL};
  if (strcmp(how, "execve") == 0) execve(marker, argv, empty);
  if (strcmp(how, "execve-null") == 0) execve(marker, argv, NULL);
  if (strcmp(how, "execle") == 0) execle(marker, marker, how, (char*)NULL, empty);
  if (strcmp(how, "execvpe") == 0) execvpe(name, short_argv, empty);
  if (strcmp(how, "fexecve") == 0) fexecve(open(marker, O_RDONLY | O_CLOEXEC), argv, empty);
  if (strcmp(how, "execveat") == 0) execveat(AT_FDCWD, marker, argv, empty, 0);
  // The rest take the environment from `environ`, which is wiped first.
  if (strncmp(how, "clearenv-", 9) == 0) EXPECT(clearenv() == 0);
  if (strncmp(how, "environ-", 8) == 0) environ = empty;
  const char* call = strrchr(how, '-') + 1;
  if (strcmp(call, "execv") == 0) execv(marker, argv);
  if (strcmp(call, "execl") == 0) execl(marker, marker, how, (char*)NULL);
  if (strcmp(call, "execvp") == 0) execvp(marker, argv);
  if (strcmp(call, "execlp") == 0) execlp(marker, marker, how, (char*)NULL);
  EXPECT(!"exec came back");
}

static void fork_then_exec(const char* how) {
  const pid_t pid = fork();
  if (pid == 0) exec_as(how);
  await(pid);
}

static void vfork_then_exec(void) {
  char* argv[] = {marker, "vfork", NULL};
  const pid_t pid = vfork();
  if (pid == 0) {
    execve(marker, argv, empty);
    _exit(77);
  }
  await(pid);
}

static void spawn(const char* how, char** envp) {
  char* argv[] = {marker, (char*)how, NULL};
  pid_t pid;
  EXPECT(posix_spawn(&pid, marker, NULL, NULL, argv, envp) == 0);
  await(pid);
}

static void double_fork(void) {
  const pid_t middle = fork();
  if (middle == 0) {
    setsid();
    if (fork() == 0) {
      burn_ms(50);
      dprintf(1, "daemon %d\n", (int)getpid());
      _exit(0);
    }
    _exit(0);
  }
  dprintf(1, "middle %d\n", (int)middle);
  await(middle);
}

int main(int argc, char** argv) {
  EXPECT(argc > 1);
  snprintf(marker, sizeof marker, "%.*s/child_marker", (int)(strrchr(argv[0], '/') - argv[0]), argv[0]);
  char path[4096];
  snprintf(path, sizeof path, "%.*s:/bin:/usr/bin", (int)(strrchr(argv[0], '/') - argv[0]), argv[0]);
  setenv("PATH", path, 1);
  burn_ms(30);
  fact("parent", getpid());
  const char* how = argv[1];
  if (strcmp(how, "vfork") == 0)
    vfork_then_exec();
  else if (strcmp(how, "spawn-empty") == 0)
    spawn(how, empty);
  else if (strcmp(how, "spawn-null") == 0)
    spawn(how, NULL);
  else if (strcmp(how, "system") == 0)
    clearenv(), run_shell(system);
  else if (strcmp(how, "popen") == 0)
    clearenv(), run_shell(by_popen);
  else if (strcmp(how, "double-fork") == 0)
    double_fork();
  else if (strcmp(how, "exec-self") == 0)
    exec_as("execve");  // no fork: the image is replaced
  else if (strcmp(how, "daemon") == 0) {
    EXPECT(daemon(1, 1) == 0);
    burn_ms(50);
    dprintf(1, "daemon %d\n", (int)getpid());
  } else
    fork_then_exec(how);
  return 0;
}
