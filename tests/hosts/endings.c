// A program of several busy threads that ends in each way that a program may end.
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hosts/host.h"

extern char** environ;

static void* stay_busy(void* unused) {
  for (unsigned i = 0;; ++i) {
    free(malloc(i % 5000));
    void* at = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(at != MAP_FAILED && munmap(at, 8192) == 0);
    if (i % 16 == 0) sleep_us(50);
  }
  return unused;
}

static void leave_at_once(int number) { _exit(20 + (number == SIGUSR2)); }
static void at_end(void) { free(malloc(5000)); }

static int end_now(unsigned way) {
  switch (way) {
    case 0:
      exit(11);
    case 1:
      _exit(12);
    case 2:
      quick_exit(13);
    case 3:
      abort();
    case 4:
      signal(SIGUSR2, leave_at_once);
      return raise(SIGUSR2);
    case 5: {
      char* arguments[] = {"sh", "-c", "exit 14", NULL};
      return execve("/bin/sh", arguments, environ);
    }
    case 6:
      return kill(getpid(), SIGKILL);
    case 7:
      return raise(SIGRTMAX);
    case 8:
      signal(SIGSEGV, SIG_DFL);
      return *(volatile int*)16;
    default:
      signal(SIGTERM, SIG_DFL);
      return kill(getpid(), SIGTERM);
  }
}
enum { ways = 10 };
static const int statuses[ways] = {11 << 8, 12 << 8, 13 << 8, SIGABRT, 21 << 8, 14 << 8, SIGKILL, 0, SIGSEGV, SIGTERM};

static void* end_from_thread(void* way) {
  burn_us(500);
  exit(99 + end_now(*(unsigned*)way));
}

// Never returns. The end comes from the first thread or, where `way` is odd in its tens, from another, while the first
// has left or waits.
void end_program(unsigned way) {
  static unsigned its;
  its = way % ways;
  pthread_t thread;
  CHECK(atexit(at_end) == 0 && at_quick_exit(at_end) == 0);
  for (int i = 0; i < 3; ++i) CHECK(pthread_create(&thread, NULL, stay_busy, NULL) == 0);
  burn_us(1500);
  if (way / ways == 0) exit(99 + end_now(its));
  CHECK(pthread_create(&thread, NULL, end_from_thread, &its) == 0);
  if (way / ways == 1) pthread_exit(NULL);
  for (;;) pause();
}

void endings_operation(struct step* s) {
  const unsigned way = (unsigned)below(s, 3 * ways);
  char number[16], *arguments[] = {"host", "--end", number, NULL};
  char program[600];
  snprintf(program, sizeof(program), "%s/host", own_directory);
  snprintf(number, sizeof(number), "%u", way);
  const struct quiet q = be_quiet();
  const pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    be_loud(&q);
    execv(program, arguments);
    _exit(127);
  }
  be_loud(&q);
  const int status = reap(pid), expected = way % ways == 7 ? SIGRTMAX : statuses[way % ways];
  if ((status & ~0x80) != expected) say("host: --end %u ended with status %x, not %x\n", way, status, expected);
  CHECK((status & ~0x80) == expected);
  fold(s, way);
}
