// A handler jumps out of read() again and again, as POSIX allows; then the thread burns a known CPU time and makes
// known allocations, which are to be seen.
#include <fcntl.h>
#include <setjmp.h>
#include <sys/time.h>

#include "victim.h"

static sigjmp_buf out;
static volatile sig_atomic_t armed;

static void jump(int signal) {
  (void)signal;
  if (armed) siglongjmp(out, 1);
}

static void burn_after(void) { burn_ms(500); }

static void allocate_after(void) {
  for (int i = 0; i < 1000; ++i) {
    void* volatile p = malloc(1000);
    EXPECT(p != NULL);
    free(p);
  }
}

int main(int argc, char** argv) {
  const long jumps = argument(argc, argv, 1, 1000);
  const struct sigaction action = {.sa_handler = jump};
  EXPECT(sigaction(SIGALRM, &action, NULL) == 0);
  const int fd = open("/dev/zero", O_RDONLY);
  volatile long done = 0;
  uint32_t random = 1;
  while (done < jumps) {
    if (sigsetjmp(out, 1) == 0) {
      armed = 1;
      const struct itimerval once = {{0, 0}, {0, 50 + next_random(&random) % 500}};
      setitimer(ITIMER_REAL, &once, NULL);
      for (;;) {
        char c;
        EXPECT(read(fd, &c, 1) == 1 || errno == EINTR);
      }
    }
    armed = 0;
    ++done;
  }
  burn_after();
  allocate_after();
  fact("jumps", done);
  return 0;
}
