// Copies much in a signal handler that stands on the smallest stack there is.
#include "victim.h"

enum { kCopies = 2000, kBytes = 1 << 20 };
static char from[kBytes], to[kBytes];
static volatile long copies;

static void handler(int signal) {
  memcpy(to, from, kBytes);
  copies += signal == SIGUSR1;
}

int main(void) {
  stack_t stack = {0};
  stack.ss_size = (size_t)sysconf(_SC_MINSIGSTKSZ) + 1024;
  // Right above a page that nothing may touch.
  char* pages = mmap(NULL, stack.ss_size + 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(pages != MAP_FAILED && mprotect(pages, 4096, PROT_NONE) == 0);
  stack.ss_sp = pages + 4096;
  EXPECT(sigaltstack(&stack, NULL) == 0);
  memcpy(to, from, 1);  // looked up by the loader here: it takes more stack than there will be
  struct sigaction action = {0};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  EXPECT(sigaction(SIGUSR1, &action, NULL) == 0);
  for (int i = 0; i < kCopies; ++i) raise(SIGUSR1);
  fact("copies", copies);
  return 0;
}
