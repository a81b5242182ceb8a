// Forks while it holds much memory: most of its time passes in the kernel, which copies page tables, while ticks wait.
// Knows how long its own forks took, and what it computes between them.
#include <string.h>

#include "victim.h"

__attribute__((noinline)) static void between(void) {
  for (volatile long i = 0; i < 12000000; ++i) {
  }
}

int main(int argc, char** argv) {
  const long forks = argument(argc, argv, 1, 60);
  const size_t bytes = (size_t)argument(argc, argv, 2, 300) << 20;
  char* block = malloc(bytes);
  EXPECT(block != NULL);
  memset(block, 1, bytes);
  int64_t fork_ns = 0, between_ns = 0;
  for (long i = 0; i < forks; ++i) {
    const int64_t began = thread_cpu_ns();
    const pid_t pid = fork();
    if (pid == 0) _exit(0);
    fork_ns += thread_cpu_ns() - began;
    EXPECT(pid > 0);
    EXPECT(waitpid(pid, NULL, 0) == pid);
    const int64_t computes = thread_cpu_ns();
    between();
    between_ns += thread_cpu_ns() - computes;
  }
  fact("fork_ns", fork_ns);
  fact("between_ns", between_ns);
  return 0;
}
