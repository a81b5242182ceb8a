// Code that the program writes itself and that points the stack pointer at a buffer on the heap, as matrix products of
// oneDNN do: a signal's frame would be written over what lies in front of the buffer. One seed in four has it, so that
// the others show what a program without such code keeps.
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/hosts/host.h"

static const unsigned char code[] = {
    0x48, 0x89, 0xe0,  // mov rax, rsp
    0x48, 0x89, 0xf4,  // mov rsp, rsi
    0x48, 0xff, 0xcf,  // again: dec rdi
    0x75, 0xfb,        // jnz again
    0x48, 0x89, 0xc4,  // mov rsp, rax
    0xc3,              // ret
};

static void (*spin)(long, void*);
static pthread_once_t made = PTHREAD_ONCE_INIT;

bool has_own_code(void) { return the_seed % 4 == 0; }

// In the midst of the run: threads that exist already must be safe in it too.
static void make(void) {
  void* at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(at != MAP_FAILED);
  memcpy(at, code, sizeof(code));
  CHECK(mprotect(at, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
  spin = (void (*)(long, void*))at;
}

static void once(struct step* s) {
  const size_t size = between(s, 32 << 10, 512 << 10) / 16 * 16;
  const uint64_t seed = draw(s);
  const long turns = (long)between(s, 10000, 3000000);
  unsigned char* buffer = malloc(size);
  CHECK(buffer != NULL);
  fill(buffer, size, seed);
  spin(turns, buffer + size);
  CHECK(filled(buffer, size, seed));
  free(buffer);
  fold(s, size);
}

static void* in_thread(void* s) {
  const struct quiet q = be_quiet();
  for (int i = 0; i < 2; ++i) once(s);
  be_loud(&q);
  return NULL;
}

void own_code_operation(struct step* s) {
  if (!has_own_code()) return;
  // The host's own signals would do what no tick may do.
  const struct quiet q = be_quiet();
  pthread_once(&made, make);
  stack_t before;
  const stack_t none = {.ss_flags = SS_DISABLE};
  const bool without = once_in(s, 2);
  if (without) CHECK(sigaltstack(&none, &before) == 0);
  for (int i = 0; i < 3; ++i) once(s);
  if (!s->forked && once_in(s, 3)) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, in_thread, s) == 0 && pthread_join(thread, NULL) == 0);
  }
  if (without) CHECK(sigaltstack(&before, NULL) == 0);
  be_loud(&q);
}
