// A program that computes in some threads while it lowers the number of its signals that may be pending, by one of
// the ways there are: it lives on, as alone.
#include <sys/resource.h>

#include "victim.h"

enum { kThreads = 3 };

static volatile int over;
static volatile pid_t a_thread;
static int (*volatile lower_64)(__rlimit_resource_t, const struct rlimit64*) = setrlimit64;

static void* compute(void* unused) {
  a_thread = (pid_t)syscall(SYS_gettid);
  while (!over) burn_ms(1);
  return unused;
}

static long lower(const char* way, rlim_t most, rlim_t hard) {
  const struct rlimit limits = {most, hard};
  const struct rlimit64 limits_64 = {most, hard};
  if (strcmp(way, "setrlimit") == 0) return setrlimit(RLIMIT_SIGPENDING, &limits);
  if (strcmp(way, "setrlimit64") == 0) return lower_64(RLIMIT_SIGPENDING, &limits_64);
  if (strcmp(way, "prlimit") == 0) return prlimit(0, RLIMIT_SIGPENDING, &limits, NULL);
  if (strcmp(way, "prlimit64") == 0) return prlimit64(getpid(), RLIMIT_SIGPENDING, &limits_64, NULL);
  if (strcmp(way, "of a thread") == 0) return prlimit(a_thread, RLIMIT_SIGPENDING, &limits, NULL);
  if (strcmp(way, "by number") == 0) return syscall(SYS_prlimit64, 0, RLIMIT_SIGPENDING, &limits, NULL);
  return syscall(SYS_setrlimit, RLIMIT_SIGPENDING, &limits);
}

int main(int count, char** words) {
  (void)count;
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) EXPECT(pthread_create(&threads[i], NULL, compute, NULL) == 0);
  burn_ms(20);
  struct rlimit before;
  EXPECT(getrlimit(RLIMIT_SIGPENDING, &before) == 0);
  // What cannot be read is refused, and nothing is changed.
  struct rlimit* volatile nowhere = (struct rlimit*)8;
  EXPECT(syscall(SYS_prlimit64, 0, RLIMIT_SIGPENDING, nowhere, NULL) == -1 && errno == EFAULT);
  const rlim_t steps[] = {40, 0};
  for (int i = 0; i < 2; ++i) {
    struct rlimit now;
    EXPECT(lower(words[1], steps[i], before.rlim_max) == 0);
    EXPECT(getrlimit(RLIMIT_SIGPENDING, &now) == 0 && now.rlim_cur == steps[i]);
    burn_ms(40);
  }
  over = 1;
  for (int i = 0; i < kThreads; ++i) EXPECT(pthread_join(threads[i], NULL) == 0);
  dprintf(1, "done\n");
  return 0;
}
