// Computes while the processor checks alignment (EFLAGS.AC), and asks for nothing meanwhile.
#include "victim.h"

int main(void) {
#ifdef __x86_64__
  volatile double x = 1;
  __asm__ volatile("pushf; orl $0x40000, (%%rsp); popf" ::: "memory", "cc");
  for (long i = 0; i < 200000000; ++i) x *= 1.0000000001;
  __asm__ volatile("pushf; andl $~0x40000, (%%rsp); popf" ::: "memory", "cc");
  fact("millionths", (long long)(x * 1e6));
#endif
  return 0;
}
