// Switches between hand-made stacks and handles signals on an alternate one, under a fast sampler.
#include <ucontext.h>

#include "victim.h"

#define COUNT 8

static ucontext_t contexts[COUNT], scheduler;
static long steps[COUNT];
static volatile int handled;

static void in_coroutine(int self) {
  for (;;) {
    volatile char own[2000];
    memset((char*)own, self, sizeof own);
    BURN_NS(200000);
    free(malloc(300000));
    for (size_t i = 0; i < sizeof own; ++i) EXPECT(own[i] == (char)self);
    ++steps[self];
    EXPECT(swapcontext(&contexts[self], &scheduler) == 0);
  }
}

static void on_alternate_stack(int number) {
  (void)number;
  BURN_NS(500000);
  ++handled;
}

int main(void) {
  stack_t alternate = {.ss_size = 65536};
  alternate.ss_sp = mmap(NULL, alternate.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(sigaltstack(&alternate, NULL) == 0);
  struct sigaction action = {.sa_handler = on_alternate_stack, .sa_flags = SA_ONSTACK};
  EXPECT(sigaction(SIGUSR1, &action, NULL) == 0);
  for (int i = 0; i < COUNT; ++i) {
    EXPECT(getcontext(&contexts[i]) == 0);
    const size_t bytes = i % 2 == 0 ? 32768 : 262144;
    contexts[i].uc_stack.ss_sp = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    contexts[i].uc_stack.ss_size = bytes;
    contexts[i].uc_link = &scheduler;
    makecontext(&contexts[i], (void (*)(void))in_coroutine, 1, i);
  }
  for (int round = 0; round < 300; ++round) {
    for (int i = 0; i < COUNT; ++i) EXPECT(swapcontext(&scheduler, &contexts[i]) == 0);
    EXPECT(raise(SIGUSR1) == 0);
  }
  for (int i = 0; i < COUNT; ++i) EXPECT(steps[i] == 300);
  EXPECT(handled == 300);
  stack_t now;
  EXPECT(sigaltstack(NULL, &now) == 0 && now.ss_sp == alternate.ss_sp && now.ss_size == alternate.ss_size);
  fact("cpu_ns", rusage_cpu_ns());
  return 0;
}
