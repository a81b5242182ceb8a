// Checks of documented behaviour. Each prints one line, the same in every run: "ok NAME", or "not ok NAME: why". A
// program ends with 1 when one of its checks failed.
#pragma once

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "victim.h"

static int conform_failed;

__attribute__((format(printf, 3, 4), unused)) static void conform(bool good, const char* name, const char* why, ...) {
  if (good) {
    dprintf(1, "ok %s\n", name);
    return;
  }
  conform_failed = 1;
  char text[300];
  va_list args;
  va_start(args, why);
  vsnprintf(text, sizeof text, why, args);
  va_end(args);
  dprintf(1, "not ok %s: %s\n", name, text);
}

#define HOLDS(name, condition)                                        \
  do {                                                                \
    const bool holds = (condition);                                   \
    conform(holds, name, "not so: %s (errno %d)", #condition, errno); \
  } while (0)

#define IS(name, got, want)                                                                \
  do {                                                                                     \
    errno = 0;                                                                             \
    const long long is_got = (long long)(got), is_want = (long long)(want);                \
    conform(is_got == is_want, name, "%lld, not %lld (errno %d)", is_got, is_want, errno); \
  } while (0)

// The call succeeds with that value, and leaves errno alone, as system calls that succeed do.
#define GIVES(name, call, want)                                                                                       \
  do {                                                                                                                \
    errno = 77;                                                                                                       \
    const long long gives_got = (long long)(call), gives_want = (long long)(want);                                    \
    conform(gives_got == gives_want && errno == 77, name, "%lld, not %lld (errno %d)", gives_got, gives_want, errno); \
  } while (0)

// The call returns -1 with that errno.
#define FAILS(name, call, error)                                                                                   \
  do {                                                                                                             \
    errno = 0;                                                                                                     \
    const long long fails_got = (long long)(call);                                                                 \
    const int fails_errno = errno;                                                                                 \
    conform(fails_got == -1 && fails_errno == (error), name, "%lld with errno %d, not %d", fails_got, fails_errno, \
            (error));                                                                                              \
  } while (0)

// The call returns a null pointer with that errno.
#define NULLS(name, call, error)                                                           \
  do {                                                                                     \
    errno = 0;                                                                             \
    const void* const nulls_got = (call);                                                  \
    const int nulls_errno = errno;                                                         \
    conform(nulls_got == NULL && nulls_errno == (error), name, "%s with errno %d, not %d", \
            nulls_got == NULL ? "null" : "something", nulls_errno, (error));               \
  } while (0)

// The compiler must not know what these are: an address that is mapped nowhere, and sizes that _FORTIFY_SOURCE checks
// at run time.
static void* volatile nowhere = (void*)8;
static volatile size_t conform_zero;
__attribute__((unused)) static size_t sized(size_t n) { return n + conform_zero; }

__attribute__((unused)) static long ms_since(int64_t start) { return (long)((now_ns() - start) / 1000000); }

__attribute__((unused)) static struct timespec after_ms(clockid_t clock, long ms) {
  const int64_t at = clock_ns(clock) + ms * 1000000LL;
  return (struct timespec){.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000};
}

__attribute__((unused)) static struct timespec span_ms(long ms) {
  return (struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
}

// Threads that burn CPU time beside the checks until the program ends, so that the profiler's ticks are many. They take
// no signal of the program's.
static void* conform_burn(void* unused) {
  for (;;) __asm__ volatile("");
  return unused;
}
__attribute__((unused)) static void burn_beside(int threads) {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  for (int i = 0; i < threads; ++i) {
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, conform_burn, NULL) == 0);
    pthread_detach(thread);
  }
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}

// A directory of the program's own, as working directory; gone with leave_scratch().
static char scratch[64];
__attribute__((unused)) static void enter_scratch(void) {
  strcpy(scratch, "/tmp/conform.XXXXXX");
  EXPECT(mkdtemp(scratch) != NULL && chdir(scratch) == 0);
}
__attribute__((unused)) static void leave_scratch(void) {
  char command[100];
  EXPECT(chdir("/") == 0);
  snprintf(command, sizeof command, "rm -rf %s", scratch);
  EXPECT(system(command) == 0);
}

__attribute__((unused)) static void put_file(const char* path, const char* text) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  EXPECT(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0);
}
