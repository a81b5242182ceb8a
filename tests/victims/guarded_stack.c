// A coroutine whose stack is cut out of the main thread's own, with a page above it that nobody may read; in it code
// that no unwinder knows.
#include <ucontext.h>

#include "victim.h"

static ucontext_t outside, inside;
static void (*generated)(long);

static void body(void) {
  for (const int64_t end = thread_cpu_ns() + 500000000; thread_cpu_ns() < end;) {
    generated(200000);
    for (int i = 0; i < 50; ++i) free(malloc(5000));
  }
}

int main(void) {
  // sub rsp, 512; mov rcx, rdi; dec rcx; jnz; add rsp, 512; ret
  static const unsigned char code[] = {0x48, 0x81, 0xec, 0x00, 0x02, 0x00, 0x00, 0x48, 0x89, 0xf9, 0x48, 0xff,
                                       0xc9, 0x75, 0xfb, 0x48, 0x81, 0xc4, 0x00, 0x02, 0x00, 0x00, 0xc3};
  char* page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(page != MAP_FAILED);
  memcpy(page, code, sizeof(code));
  generated = (void (*)(long))(uintptr_t)page;
  enum { kStack = 16384 };
  char area[1 << 20];
  memset(area, 0, sizeof(area));
  char* stack = (char*)(((uintptr_t)area + 4095) & ~(uintptr_t)4095) + 65536;
  EXPECT(mprotect(stack + kStack, 4096, PROT_NONE) == 0 && mprotect(stack - 4096, 4096, PROT_NONE) == 0);
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = kStack;
  inside.uc_link = &outside;
  makecontext(&inside, body, 0);
  swapcontext(&outside, &inside);
  EXPECT(mprotect(stack + kStack, 4096, PROT_READ | PROT_WRITE) == 0);
  EXPECT(mprotect(stack - 4096, 4096, PROT_READ | PROT_WRITE) == 0);
  fact("ended", 1);
  return 0;
}
