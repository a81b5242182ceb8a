// A user-level thread with thread-local storage of its own: the FS register is another one while it computes.
#include <sys/auxv.h>

#include "victim.h"

__attribute__((noinline, target("fsgsbase"), optimize("no-stack-protector"))) static void fiber(unsigned long base) {
  const unsigned long old = __builtin_ia32_rdfsbase64();
  __builtin_ia32_wrfsbase64(base);
  for (long i = 0; i < 300000000; ++i) __asm__ volatile("");
  __builtin_ia32_wrfsbase64(old);
}

int main(void) {
  const unsigned long may_be_set = 2;  // HWCAP2_FSGSBASE
  if ((getauxval(AT_HWCAP2) & may_be_set) != 0) {
    char* storage = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(storage != MAP_FAILED);
    *(void**)(storage + 32768) = storage + 32768;
    fiber((unsigned long)storage + 32768);
    fiber(0);
  }
  fact("ended", 1);
  return 0;
}
