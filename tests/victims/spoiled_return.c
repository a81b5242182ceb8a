// Allocates and burns in a function whose return address does not stand on the stack for the moment, as while a
// coroutine library copies a stack back: what stands there is no address of user space.
#include <stdint.h>

#include "victim.h"

static void work(void) {
  for (int i = 0; i < 20; ++i) {
    free(malloc(1000 + (size_t)i));
    BURN_NS(5000000);
  }
}

// With a frame pointer, so that the place of the return address is known here and in the call frame information.
__attribute__((optimize("no-omit-frame-pointer"))) static void spoil(uintptr_t other) {
  volatile uintptr_t* frame = __builtin_frame_address(0);
  const uintptr_t before = frame[1];
  frame[1] = other;
  work();
  frame[1] = before;
}

int main(void) {
  spoil(UINTPTR_MAX - 0xbf);
  spoil(0xffffffff80000000);  // the kernel's code
  spoil(0x8000000000000008);  // of no half of the address space
  puts("ok");
  return 0;
}
