// Forked children, vforked children that reset all signals as launchers do, children that are killed.
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hosts/host.h"

extern char** environ;
enum { child_status = 42 };

int reap(pid_t pid) {
  int status = 0;
  pid_t got;
  while ((got = waitpid(pid, &status, 0)) == -1) CHECK(errno == EINTR);
  CHECK(got == pid);
  return status;
}

static void end_with_parent(void) { CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0); }

uint64_t in_child(struct step* s, child_function* body, void* argument, int end) {
  _Atomic uint64_t* answer = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(answer != MAP_FAILED);
  struct step its = {.random = draw(s), .outcome = 0, .forked = true};
  const struct quiet q = be_quiet();
  const pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    // A child that hangs is ended by the kernel, and seen by its status; none outlives this program.
    end_with_parent();
    signal(SIGALRM, SIG_DFL);
    alarm(60);
    be_loud(&q);
    sigset_t alone;
    sigemptyset(&alone);
    sigaddset(&alone, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alone, NULL);
    *answer = body(&its, argument);
    _exit(child_status);
  }
  be_loud(&q);
  const int status = reap(pid);
  const int expected = end == -1 ? child_status << 8 : end;
  if (status != expected) say("host: child %d ended with status %x, not %x\n", pid, status, expected);
  CHECK(status == expected);
  const uint64_t value = *answer;
  CHECK(munmap((void*)answer, 4096) == 0);
  return value;
}

static uint64_t some_operations(struct step* s, void* argument) {
  (void)argument;
  CHECK(getpid() == own_tid());
  for (uint64_t i = between(s, 0, 5); i > 0; --i) run_random(s);
  return s->outcome;
}

void fork_child_operation(struct step* s) { fold(s, in_child(s, some_operations, NULL, -1)); }

static uint64_t work_until_killed(struct step* s, void* argument) {
  (void)s;
  if (write(*(int*)argument, "x", 1) != 1) _exit(1);
  for (;;) free(malloc(1000));
}

void kill_child_operation(struct step* s) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  struct step its = {.random = draw(s), .outcome = 0, .forked = true};
  const struct quiet q = be_quiet();
  const pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    end_with_parent();
    be_loud(&q);
    work_until_killed(&its, &ends[1]);
  }
  be_loud(&q);
  char byte;
  while (read(ends[0], &byte, 1) != 1) CHECK(errno == EINTR);
  sleep_us((unsigned)below(s, 3000));
  if (once_in(s, 3)) {
    int stopped;
    CHECK(kill(pid, SIGSTOP) == 0);
    while (waitpid(pid, &stopped, WUNTRACED) != pid) CHECK(errno == EINTR);
    CHECK(WIFSTOPPED(stopped) && WSTOPSIG(stopped) == SIGSTOP && kill(pid, SIGCONT) == 0);
  }
  const int signal_number = once_in(s, 3) ? SIGTERM : SIGKILL;
  CHECK(kill(pid, signal_number) == 0);
  const int status = reap(pid);
  if (status != signal_number)
    say("host: child %d ended with status %x, not by signal %d\n", pid, status, signal_number);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == signal_number);
  CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
  fold(s, (uint64_t)signal_number);
}

// What a launcher does between vfork and exec: in the memory of its parent, with signals of its own.
static void reset_all_signals(void) {
  struct sigaction plain;
  memset(&plain, 0, sizeof(plain));
  plain.sa_handler = SIG_DFL;
  // From 2.41 on glibc locks for SIGABRT: a child of the bare system call may find that held for ever.
  for (int number = 1; number <= SIGRTMAX; ++number) {
    if (number != SIGABRT) sigaction(number, &plain, NULL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

struct launch {
  const char* program;
  char* const* arguments;
};

static int run_launch(void* argument) {
  const struct launch* l = argument;
  reset_all_signals();
  execve(l->program, l->arguments, environ);
  _exit(127);
}

// Nobody else's handler may run in memory that is shared: called with all signals blocked.
static pid_t launch(const struct launch* l, uint64_t way) {
  pid_t pid;
  switch (way) {
    case 0:
      pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
      break;
    case 1: {
      const size_t size = 32 << 10;
      char* stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      CHECK(stack != MAP_FAILED);
      pid = clone(run_launch, stack + size, CLONE_VM | CLONE_VFORK | SIGCHLD, (void*)l);
      CHECK(munmap(stack, size) == 0);
      return pid;
    }
    default:
      pid = vfork();
      break;
  }
  if (pid == 0) run_launch((void*)l);
  return pid;
}

void vfork_child_operation(struct step* s) {
  for (int i = 0; i < 3; ++i) {
    char* arguments[] = {"true", NULL};
    const char* program = once_in(s, 4) ? "/no/such/program" : "/bin/true";
    const struct quiet q = be_quiet();
    const struct launch l = {program, arguments};
    const pid_t pid = launch(&l, below(s, 4));
    be_loud(&q);
    CHECK(pid > 0);
    burn_us(300);
    const int status = reap(pid);
    fold(s, (uint64_t)status);
    CHECK(status == (program[1] == 'n' ? 127 << 8 : 0));
  }
}

static size_t read_all(int fd, char* to, size_t room) {
  size_t have = 0;
  for (;;) {
    const ssize_t got = read(fd, to + have, room - have);
    if (got == 0) return have;
    if (got < 0) {
      CHECK(errno == EINTR);
      continue;
    }
    have += (size_t)got;
  }
}

// By the shell. Nothing interrupts: stdio would say it had failed.
static void by_shell(struct step* s) {
  char command[64], seen[64] = "";
  const unsigned value = (unsigned)below(s, 100);
  const struct quiet q = be_quiet();
  snprintf(command, sizeof(command), "exit %u", value);
  CHECK(system(command) == (int)value << 8);
  snprintf(command, sizeof(command), "echo %u", value);
  FILE* output = popen(command, "re");
  CHECK(output != NULL && fgets(seen, sizeof(seen), output) != NULL && atoi(seen) == (int)value);
  CHECK(pclose(output) == 0);
  be_loud(&q);
}

void spawn_operation(struct step* s) {
  int ends[2];
  CHECK(pipe2(ends, 02000000 /* O_CLOEXEC */) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  CHECK(posix_spawn_file_actions_init(&actions) == 0 && posix_spawnattr_init(&attributes) == 0);
  CHECK(posix_spawn_file_actions_adddup2(&actions, ends[1], 1) == 0);
  sigset_t set;
  sigfillset(&set);
  CHECK(posix_spawnattr_setsigdefault(&attributes, &set) == 0);
  sigemptyset(&set);
  CHECK(posix_spawnattr_setsigmask(&attributes, &set) == 0);
  CHECK(posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK) == 0);
  char word[32], seen[64];
  snprintf(word, sizeof(word), "%llx", (unsigned long long)draw(s));
  char* arguments[] = {"echo", word, NULL};
  pid_t pid;
  CHECK(posix_spawn(&pid, "/no/such/program", NULL, NULL, arguments, environ) == ENOENT);
  CHECK(posix_spawnp(&pid, "echo", &actions, &attributes, arguments, environ) == 0);
  CHECK(close(ends[1]) == 0);
  const size_t length = read_all(ends[0], seen, sizeof(seen));
  CHECK(close(ends[0]) == 0);
  CHECK(length == strlen(word) + 1 && memcmp(seen, word, length - 1) == 0);
  CHECK(reap(pid) == 0);
  if (once_in(s, 4)) by_shell(s);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  fold(s, length);
}

// This program again, smaller; its outcome is folded in.
void exec_self_operation(struct step* s) {
  char seed[32], seen[8192];
  snprintf(seed, sizeof(seed), "%llu", (unsigned long long)below(s, 1000000000));
  if (exec_depth > 0) return;
  int ends[2];
  CHECK(pipe2(ends, 02000000) == 0);
  const struct quiet q = be_quiet();
  const pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    char program[600], names[1000];
    snprintf(program, sizeof(program), "%s/host", own_directory);
    name_enabled(names, sizeof(names), false);
    char* arguments[] = {program, "--seed",  seed, "--threads", "2",   "--steps",
                         "12",    "--depth", "1",  "--only",    names, NULL};
    if (dup2(ends[1], 1) < 0) _exit(126);
    be_loud(&q);
    execv(program, arguments);
    _exit(127);
  }
  be_loud(&q);
  CHECK(close(ends[1]) == 0);
  const size_t length = read_all(ends[0], seen, sizeof(seen));
  CHECK(close(ends[0]) == 0);
  CHECK(reap(pid) == 0);
  CHECK(length > 0);
  for (size_t i = 0; i < length; ++i) fold(s, (uint64_t)seen[i]);
}
