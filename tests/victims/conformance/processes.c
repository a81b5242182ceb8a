// Children: what becomes of them and who is told, and the functions that make them.
#include <poll.h>
#include <spawn.h>

#include "conform.h"

extern char** environ;
static char buffer[1000];

static int status_of(pid_t child) {
  int status = -1;
  EXPECT(waitpid(child, &status, 0) == child);
  return status;
}

static void ends(void) {
  pid_t child = fork();
  if (child == 0) _exit(300);
  IS("exit status", status_of(child), W_EXITCODE(300 & 255, 0));
  child = fork();
  if (child == 0) abort();
  IS("aborted", WTERMSIG(status_of(child)), SIGABRT);
  child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  EXPECT(kill(child, SIGSTOP) == 0);
  int status = 0;
  IS("waitpid of what stopped", waitpid(child, &status, WUNTRACED), child);
  HOLDS("its signal", WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
  EXPECT(kill(child, SIGCONT) == 0);
  siginfo_t info = {0};
  IS("waitid of what goes on", waitid(P_PID, (id_t)child, &info, WCONTINUED), 0);
  HOLDS("its information", info.si_code == CLD_CONTINUED && info.si_pid == child);
  IS("WNOHANG", waitpid(child, &status, WNOHANG), 0);
  EXPECT(kill(child, SIGKILL) == 0);
  memset(&info, 0, sizeof info);
  IS("WNOWAIT", waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
  HOLDS("killed", info.si_code == CLD_KILLED && info.si_status == SIGKILL);
  struct rusage usage = {.ru_maxrss = -1};
  IS("wait4", wait4(child, &status, 0, &usage), child);
  HOLDS("its usage", WTERMSIG(status) == SIGKILL && usage.ru_maxrss >= 0);
  FAILS("waitpid once more", waitpid(child, &status, 0), ECHILD);
  FAILS("wait for nobody", wait(&status), ECHILD);
  FAILS("waitid for nobody", waitid(P_ALL, 0, &info, WEXITED), ECHILD);
  FAILS("waitpid with bad flags", waitpid(-1, &status, 0x10000000), EINVAL);
  FAILS("waitid with no flags", waitid(P_ALL, 0, &info, 0), EINVAL);
  child = fork();
  if (child == 0) _exit(5);
  IS("wait3", wait3(&status, 0, &usage), child);
  IS("its status", WEXITSTATUS(status), 5);
  const struct sigaction ignore = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT};
  EXPECT(sigaction(SIGCHLD, &ignore, NULL) == 0);
  child = fork();
  if (child == 0) _exit(0);
  FAILS("waitpid without zombies", waitpid(child, &status, 0), ECHILD);
  signal(SIGCHLD, SIG_DFL);
}

static volatile int interrupts, children;
static void on_signal(int number) {
  interrupts += number == SIGINT;
  children += number == SIGCHLD;
}

static void shells(void) {
  HOLDS("there is a shell", system(NULL) != 0);
  IS("system's status", system("exit 7"), W_EXITCODE(7, 0));
  IS("system of nothing", system("none-of-this-name 2>/dev/null"), W_EXITCODE(127, 0));
  IS("system of a killed shell", WTERMSIG(system("kill -KILL $$")), SIGKILL);
  // While it runs SIGCHLD is blocked and SIGINT ignored: afterwards all is as it was.
  struct sigaction action = {.sa_handler = on_signal}, after;
  EXPECT(sigaction(SIGINT, &action, NULL) == 0 && sigaction(SIGCHLD, &action, NULL) == 0);
  char command[100];
  snprintf(command, sizeof command, "kill -INT %d", getpid());
  IS("system that interrupts us", system(command), 0);
  IS("SIGINT is ignored meanwhile", interrupts, 0);
  IS("SIGCHLD is told afterwards", children, 1);
  EXPECT(sigaction(SIGINT, NULL, &after) == 0);
  HOLDS("the handler is back", after.sa_handler == on_signal);
  raise(SIGINT);
  IS("and works", interrupts, 1);
  pid_t child = fork();
  if (child == 0) _exit(9);
  IS("system with another child about", system("true"), 0);
  IS("which is still to be waited for", status_of(child), W_EXITCODE(9, 0));
  HOLDS("SIGCHLD of that one", children >= 2);
  signal(SIGINT, SIG_DFL), signal(SIGCHLD, SIG_DFL);

  FILE* stream = popen("echo line; exit 3", "r");
  HOLDS("popen to read", stream != NULL && fgets(buffer, (int)sized(sizeof buffer), stream) != NULL);
  HOLDS("its line", strcmp(buffer, "line\n") == 0);
  IS("pclose's status", pclose(stream), W_EXITCODE(3, 0));
  int ends[2];
  EXPECT(pipe(ends) == 0);
  snprintf(command, sizeof command, "cat >&%d", ends[1]);
  stream = popen(command, "we");
  HOLDS("popen to write", stream != NULL && fputs("through a shell", stream) >= 0);
  IS("its flag", fcntl(fileno(stream), F_GETFD), FD_CLOEXEC);
  IS("pclose", pclose(stream), 0);
  IS("what came through", read(ends[0], buffer, sized(100)), 15);
  NULLS("popen in a bad way", popen("true", "rw"), EINVAL);
  close(ends[0]), close(ends[1]);
}

// The child of vfork has our memory: nothing that it does to its descriptors may be believed of ours.
static void vforked(void) {
  int ends[2];
  EXPECT(pipe(ends) == 0);
  const int file = open("/proc/self/comm", O_RDONLY);
  for (int round = 0; round < 20; ++round) {
    const pid_t child = vfork();
    if (child == 0) {
      close(file);
      dup2(ends[1], 1);
      close(ends[0]);
      open("/dev/null", O_RDONLY);
      char* const arguments[] = {(char*)"sh", (char*)"-c", (char*)"echo child; exit 4", NULL};
      execv("/bin/sh", arguments);
      _exit(127);
    }
    EXPECT(child > 0 && read(ends[0], buffer, sized(100)) == 6 && memcmp(buffer, "child\n", 6) == 0);
    EXPECT(status_of(child) == W_EXITCODE(4, 0));
    // The shell wrote to the pipe as 1; ours is what it was.
    EXPECT(pread(file, buffer, sized(10), 0) > 0 && fcntl(ends[0], F_GETFD) == 0);
  }
  IS("descriptors after vfork", lseek(file, 0, SEEK_CUR), 0);
  pid_t child = vfork();
  if (child == 0) {
    execl("/none", "none", (char*)NULL);
    _exit(errno == ENOENT ? 11 : 12);
  }
  IS("vfork and no program", status_of(child), W_EXITCODE(11, 0));
  child = vfork();
  if (child == 0) _exit(nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL));
  IS("vfork and sleep", status_of(child), 0);
  close(ends[0]), close(ends[1]), close(file);
}

static void spawned(void) {
  enter_scratch();
  posix_spawn_file_actions_t actions;
  EXPECT(posix_spawn_file_actions_init(&actions) == 0);
  EXPECT(posix_spawn_file_actions_addopen(&actions, 1, "out", O_WRONLY | O_CREAT, 0600) == 0);
  EXPECT(posix_spawn_file_actions_adddup2(&actions, 1, 2) == 0);
  EXPECT(posix_spawn_file_actions_addclose(&actions, 0) == 0);
  char* const arguments[] = {(char*)"sh", (char*)"-c", (char*)"echo to 1; echo to 2 >&2; cat 2>/dev/null || exit 6",
                             NULL};
  pid_t child = 0;
  IS("posix_spawnp", posix_spawnp(&child, "sh", &actions, NULL, arguments, environ), 0);
  IS("its status", status_of(child), W_EXITCODE(6, 0));
  const int out = open("out", O_RDONLY);
  IS("its output", read(out, buffer, sized(100)), 10);
  close(out);
  posix_spawn_file_actions_addclose(&actions, 1);
  posix_spawn_file_actions_adddup2(&actions, 200, 3);
  IS("an action that fails", posix_spawnp(&child, "sh", &actions, NULL, arguments, environ), EBADF);
  posix_spawn_file_actions_destroy(&actions);
  IS("posix_spawn of nothing", posix_spawn(&child, "/none", NULL, NULL, arguments, environ), ENOENT);
  posix_spawnattr_t attributes;
  sigset_t mask;
  EXPECT(posix_spawnattr_init(&attributes) == 0 && sigemptyset(&mask) == 0 && sigaddset(&mask, SIGUSR1) == 0);
  EXPECT(posix_spawnattr_setsigmask(&attributes, &mask) == 0);
  EXPECT(posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK) == 0);
  char* const blocked[] = {(char*)"grep", (char*)"-q", (char*)"SigBlk:.*0000000000000200", (char*)"/proc/self/status",
                           NULL};
  IS("posix_spawnp with a mask", posix_spawnp(&child, "grep", NULL, &attributes, blocked, environ), 0);
  IS("it has the mask", status_of(child), 0);
  leave_scratch();
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static volatile bool stop;
static void* busy(void* fds) {
  const int* ends = fds;
  char byte = 0;
  while (!stop) {
    pthread_mutex_lock(&mutex);
    free(malloc(1000));
    pthread_mutex_unlock(&mutex);
    (void)!write(ends[1], &byte, 1);
    (void)!read(ends[0], &byte, 1);
    FILE* f = fopen("/proc/self/comm", "r");
    if (f != NULL) fclose(f);
    poll(NULL, 0, 0);
  }
  return NULL;
}
static void* in_condition(void* unused) {
  pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&own);
  while (!stop) {
    const struct timespec at = after_ms(CLOCK_REALTIME, 1);
    pthread_cond_timedwait(&condition, &own, &at);
  }
  pthread_mutex_unlock(&own);
  return unused;
}

// The child has one thread, and whatever the others held or were in the midst of.
static void forks_among_threads(void) {
  int ends[2][2], wrong = 0;
  pthread_t thread[3];
  EXPECT(pipe(ends[0]) == 0 && pipe(ends[1]) == 0);
  EXPECT(pthread_create(&thread[0], NULL, busy, ends[0]) == 0 && pthread_create(&thread[1], NULL, busy, ends[1]) == 0);
  EXPECT(pthread_create(&thread[2], NULL, in_condition, NULL) == 0);
  for (int round = 0; round < 40; ++round) {
    int to_child[2];
    EXPECT(pipe(to_child) == 0);
    const bool held = round % 2 == 0;
    if (held) pthread_mutex_lock(&mutex);
    const pid_t child = fork();
    if (child == 0) {
      if (held) pthread_mutex_unlock(&mutex);
      char byte = 0;
      close(to_child[1]);
      if (read(to_child[0], &byte, 1) != 1 || byte != 'c') _exit(1);
      pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
      const struct timespec at = after_ms(CLOCK_REALTIME, 1);
      pthread_mutex_lock(&own);
      if (pthread_cond_timedwait(&condition, &own, &at) != ETIMEDOUT) _exit(2);
      if (nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL) != 0) _exit(3);
      FILE* f = fopen("/proc/self/comm", "r");
      if (f == NULL || fgetc(f) == EOF || fclose(f) != 0) _exit(4);
      pthread_t inner;
      if (pthread_create(&inner, NULL, conform_burn, NULL) != 0 || pthread_cancel(inner) != 0) _exit(5);
      _exit(42);
    }
    if (held) pthread_mutex_unlock(&mutex);
    EXPECT(write(to_child[1], "c", 1) == 1);
    wrong += status_of(child) != W_EXITCODE(42, 0);
    close(to_child[0]), close(to_child[1]);
  }
  IS("forks among threads that went wrong", wrong, 0);
  stop = true;
  for (int i = 0; i < 3; ++i) pthread_join(thread[i], NULL);
}

int main(void) {
  ends();
  shells();
  vforked();
  spawned();
  burn_beside(1);
  forks_among_threads();
  return conform_failed;
}
