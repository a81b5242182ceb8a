// What a process does to itself for good, and therefore in a child: limits, roots, closed descriptors, prctl.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/hosts/host.h"

static void some_work(struct step* s) {
  for (uint64_t i = between(s, 1, 3); i > 0; --i) run_random(s);
}

// New descriptors get the lowest numbers, whatever else lives in the process.
static uint64_t closes_all(struct step* s, void* argument) {
  (void)argument;
  if (once_in(s, 2)) {
    CHECK(syscall(SYS_close_range, 3, ~0u, 0) == 0);
  } else {
    for (int fd = 3; fd < 1024; ++fd) close(fd);
  }
  for (int round = 0; round < 3; ++round) {
    int opened[8];
    for (int i = 0; i < 8; ++i) {
      opened[i] = open("/dev/null", O_RDWR);
      CHECK(opened[i] == 3 + i);
      free(malloc(between(s, 1, 100000)));
    }
    CHECK(close(opened[2]) == 0);
    burn_us(300);
    CHECK(dup(0) == opened[2]);
    for (int i = 0; i < 8; ++i) CHECK(close(opened[i]) == 0);
    errno = 0;
    CHECK(close(opened[4]) == -1 && errno == EBADF);
    some_work(s);
  }
  return s->outcome;
}

void descriptors_operation(struct step* s) { fold(s, in_child(s, closes_all, NULL, -1)); }

static uint64_t limited(struct step* s, void* argument) {
  (void)argument;
  CHECK(syscall(SYS_close_range, 3, ~0u, 0) == 0);
  const rlim_t most = between(s, 4, 40);
  const struct rlimit limit = {most, most};
  CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  int fd, last = 2;
  while ((fd = open("/dev/null", O_RDONLY)) >= 0) {
    CHECK(fd == last + 1);
    last = fd;
    burn_us(50);
  }
  CHECK(errno == EMFILE && last == (int)most - 1);
  errno = 0;
  CHECK(dup(0) == -1 && errno == EMFILE);
  int ends[2];
  CHECK(pipe(ends) == -1 && errno == EMFILE);
  free(malloc(3 << 20));
  for (fd = 3; fd <= last; ++fd) CHECK(close(fd) == 0);
  struct rlimit now;
  CHECK(getrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_cur == most);
  return most;
}

// This program again in less than it is used to: what is left of it needs no more.
static uint64_t exec_in_less(struct step* s, void* argument) {
  (void)argument;
  const struct rlimit few = {20, 20}, none = {0, 0}, files = {16, 16}, large = {4ull << 30, 4ull << 30};
  switch (below(s, 5)) {
    case 0:
      CHECK(setrlimit(RLIMIT_SIGPENDING, &few) == 0);
      break;
    case 1:
      CHECK(setrlimit(RLIMIT_NOFILE, &files) == 0);
      break;
    case 2:
      CHECK(setrlimit(RLIMIT_MEMLOCK, &none) == 0);
      break;
    case 3:
      CHECK(setrlimit(RLIMIT_AS, &large) == 0);
      break;
    default:
      CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0);
      break;
  }
  char program[600], seed[32];
  snprintf(program, sizeof(program), "%s/host", own_directory);
  snprintf(seed, sizeof(seed), "%llu", (unsigned long long)below(s, 1000000));
  CHECK(syscall(SYS_close_range, 3, ~0u, 0) == 0);
  const int nowhere = open("/dev/null", O_WRONLY);
  CHECK(nowhere == 3 && dup2(nowhere, 1) == 1 && close(nowhere) == 0);
  char names[1000];
  name_enabled(names, sizeof(names), true);
  char* arguments[] = {program, "--seed",  seed, "--threads", "2",   "--steps",
                       "10",    "--depth", "1",  "--only",    names, NULL};
  execv(program, arguments);
  return 0;
}

void limits_operation(struct step* s) {
  fold(s, in_child(s, limited, NULL, -1));
  if (exec_depth == 0 && once_in(s, 3)) in_child(s, exec_in_less, NULL, 0);
}

static uint64_t chrooted(struct step* s, void* argument) {
  if (chroot(argument) != 0) {
    CHECK(errno == EPERM);
    return 0;
  }
  if (once_in(s, 2)) CHECK(chdir("/") == 0);
  free(malloc(2 << 20));
  burn_us(2000);
  errno = 0;
  CHECK(open("/dev/null", O_RDONLY) == -1 && errno == ENOENT);
  return 0;
}

static uint64_t in_no_directory(struct step* s, void* argument) {
  char name[300];
  CHECK(chdir(argument) == 0 && rmdir(argument) == 0);
  some_work(s);
  errno = 0;
  CHECK(getcwd(name, sizeof(name)) == NULL && errno == ENOENT);
  errno = 0;
  CHECK(open("file", O_CREAT | O_RDWR, 0600) == -1 && errno == ENOENT);
  return s->outcome;
}

void jail_operation(struct step* s) {
  char directory[] = "/tmp/prof-host-XXXXXX";
  CHECK(mkdtemp(directory) != NULL);
  fold(s, in_child(s, chrooted, directory, -1));
  // Nothing appeared in there: it can be removed.
  fold(s, in_child(s, in_no_directory, directory, -1));
  errno = 0;
  CHECK(rmdir(directory) == -1 && errno == ENOENT);
}

// Without the time stamp counter: the C library's clock_gettime reads it too, and is not called.
static uint64_t without_counter(struct step* s, void* argument) {
  (void)argument;
  if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) != 0) return 1;
  int ends[2];
  char byte = 0;
  CHECK(pipe(ends) == 0);
  for (int i = 0; i < 20; ++i) {
    CHECK(write(ends[1], "y", 1) == 1 && read(ends[0], &byte, 1) == 1 && byte == 'y');
    free(malloc(between(s, 1, 1 << 20)));
    const struct timespec moment = {0, 100000};
    CHECK(nanosleep(&moment, NULL) == 0);
    for (int k = 0; k < 100000; ++k) __asm__ volatile("");
  }
  CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
  return 1;
}

static uint64_t undumpable(struct step* s, void* argument) {
  (void)argument;
  CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
  some_work(s);
  CHECK(prctl(PR_GET_DUMPABLE) == 0);
  if (once_in(s, 2)) {
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
    umask(0777);
    if (geteuid() == 0) CHECK(setgid(65534) == 0 && setuid(65534) == 0);
    free(malloc(1 << 20));
    burn_us(1000);
  }
  return s->outcome;
}

void control_operation(struct step* s) {
  char name[17] = "", seen[17] = "";
  CHECK(prctl(PR_GET_NAME, name) == 0);
  CHECK(prctl(PR_SET_NAME, "a-new-name") == 0 && prctl(PR_GET_NAME, seen) == 0 && strcmp(seen, "a-new-name") == 0);
  CHECK(pthread_getname_np(pthread_self(), seen, sizeof(seen)) == 0 && strcmp(seen, "a-new-name") == 0);
  CHECK(prctl(PR_SET_NAME, name) == 0);
  fold(s, in_child(s, without_counter, NULL, -1));
  fold(s, in_child(s, undumpable, NULL, -1));
}
