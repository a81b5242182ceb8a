// Shuts itself in: from some point on, any system call but read, write and exit is death.
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "victim.h"

int main(void) {
  void* warm = malloc(100000);
  burn_ms(50);
  free(warm);
  EXPECT(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
  for (int i = 0; i < 2000; ++i) {
    free(malloc(5000));
    for (int k = 0; k < 100000; ++k) __asm__ volatile("");
  }
  if (write(1, "done\n", 5) != 5) return 1;
  syscall(SYS_exit, 33);
  return 1;
}
