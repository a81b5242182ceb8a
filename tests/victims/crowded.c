// Shares one processor with programs that burn, while it allocates, copies and makes blocking calls: a thread that is
// preempted in the middle of whatever it does.
#include <sched.h>
#include <sys/prctl.h>

#include "victim.h"

#define BURNERS 4

static pid_t start_burner(void) {
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) __asm__ volatile("");
}

static char from[1 << 16], to[1 << 16];

static void turn(int pipe_in, int pipe_out) {
  for (int i = 0; i < 50; ++i) {
    char* volatile block = malloc(20000);
    memcpy(to, from, sizeof(to));
    free(block);
    char byte = 0;
    EXPECT(write(pipe_out, &byte, 1) == 1);
    EXPECT(read(pipe_in, &byte, 1) == 1);
  }
}

int main(int argc, char** argv) {
  cpu_set_t one;
  CPU_ZERO(&one);
  EXPECT(sched_getaffinity(0, sizeof(one), &one) == 0);
  int processor = 0;
  while (!CPU_ISSET(processor, &one)) ++processor;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  EXPECT(sched_setaffinity(0, sizeof(one), &one) == 0);
  pid_t burners[BURNERS];
  for (int i = 0; i < BURNERS; ++i) burners[i] = start_burner();
  int ends[2];
  EXPECT(pipe(ends) == 0);
  const int64_t until = process_cpu_ns() + argument(argc, argv, 1, 1000) * 1000000;
  while (process_cpu_ns() < until) turn(ends[0], ends[1]);
  for (int i = 0; i < BURNERS; ++i) {
    kill(burners[i], SIGKILL);
    EXPECT(waitpid(burners[i], NULL, 0) == burners[i]);
  }
  fact("cpu_ns", rusage_cpu_ns());
  return 0;
}
