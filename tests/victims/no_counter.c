// Gives up the time-stamp counter in the midst of many calls, by prctl or with "number" by its number, and goes on with
// system calls alone: libc's clocks read the counter, too.
#include <fcntl.h>
#include <sys/prctl.h>

#include "victim.h"

static void many_reads(int fd) {
  char c;
  for (int i = 0; i < 200000; ++i) EXPECT(read(fd, &c, 1) == 1);
}

static void* work(void* fd) {
  many_reads(*(int*)fd);
  free(malloc(3000000));
  return NULL;
}

int main(int argc, char** argv) {
  (void)argv;
  int fd = open("/dev/zero", O_RDONLY);
  EXPECT(fd >= 0);
  many_reads(fd);
  // Long enough for a quick clock to be in use.
  usleep(20000);
  many_reads(fd);
  if (argc > 1)
    EXPECT(syscall(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0);
  else
    EXPECT(prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0);
  many_reads(fd);
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, work, &fd) == 0 && pthread_join(thread, NULL) == 0);
  usleep(20000);
  many_reads(fd);
  dprintf(1, "done\n");
  return 0;
}
