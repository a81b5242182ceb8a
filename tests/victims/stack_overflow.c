// Overflows its stack on purpose and comes back through a SIGSEGV handler on an alternate stack, as language runtimes
// do.
#include <setjmp.h>
#include <sys/resource.h>

#include "victim.h"

static sigjmp_buf home;

static void on_overflow(int number) {
  (void)number;
  siglongjmp(home, 1);
}

// `depth` frames need far more than any stack has.
static int endless(volatile char* above, long depth) {
  volatile char own[512];
  own[0] = above[0];
  for (int i = 0; i < 500; ++i) __asm__ volatile("");
  return depth == 0 ? 0 : endless(own, depth - 1) + own[0];
}

static void* overflow(void* unused) {
  stack_t alternate = {.ss_size = 65536};
  alternate.ss_sp = mmap(NULL, alternate.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(sigaltstack(&alternate, NULL) == 0);
  volatile int returned = 0;
  for (volatile int i = 0; i < 100; ++i) {
    volatile char first = 1;
    if (sigsetjmp(home, 1) == 0) endless(&first, 1L << 40);
    ++returned;
  }
  EXPECT(returned == 100);
  return unused;
}

int main(void) {
  const struct rlimit bounded = {8 << 20, 8 << 20};
  EXPECT(setrlimit(RLIMIT_STACK, &bounded) == 0);
  struct sigaction action = {.sa_handler = on_overflow, .sa_flags = SA_ONSTACK};
  EXPECT(sigaction(SIGSEGV, &action, NULL) == 0);
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, overflow, NULL) == 0 && pthread_join(thread, NULL) == 0);
  overflow(NULL);
  fact("overflows", 200);
  return 0;
}
