// Starts threads in every way, with all signals blocked in some; each burns in a function of its own.
#include <threads.h>

#include "victim.h"

static int in_thrd(void* unused) {
  (void)unused;
  BURN_NS(200000000);
  return 17;
}
static void* in_detached(void* unused) {
  BURN_NS(200000000);
  *(volatile int*)unused = 1;
  return NULL;
}
static void* in_own_stack(void* unused) {
  BURN_NS(200000000);
  return unused;
}
static void* in_blocked(void* unused) {
  sigset_t all, now;
  sigfillset(&all);
  EXPECT(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
  BURN_NS(200000000);
  EXPECT(pthread_sigmask(SIG_SETMASK, NULL, &now) == 0);
  for (int number = 1; number <= SIGRTMAX; ++number) {
    if (number == SIGKILL || number == SIGSTOP || (number >= 32 && number < SIGRTMIN)) continue;
    EXPECT(sigismember(&now, number) == 1);  // the host sees the mask that it set
  }
  return unused;
}
static void* in_inherited_block(void* unused) {
  BURN_NS(200000000);
  return unused;
}
static void* in_leaving(void* unused) {
  BURN_NS(200000000);
  pthread_exit(unused);
}
static void cleaned(void* flag) { *(int*)flag = 1; }
static void* in_cancelled(void* flag) {
  pthread_cleanup_push(cleaned, flag);
  BURN_NS(200000000);
  for (;;) pause();
  pthread_cleanup_pop(0);
  return NULL;
}

int main(void) {
  thrd_t c11;
  pthread_t t;
  int result = 0;
  void* value = NULL;
  EXPECT(thrd_create(&c11, in_thrd, NULL) == thrd_success);
  EXPECT(thrd_join(c11, &result) == thrd_success && result == 17);

  volatile int done = 0;
  pthread_attr_t attributes;
  EXPECT(pthread_attr_init(&attributes) == 0);
  EXPECT(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0);
  EXPECT(pthread_create(&t, &attributes, in_detached, (void*)&done) == 0);
  while (!done) usleep(1000);

  EXPECT(pthread_attr_init(&attributes) == 0);
  const size_t bytes = 256 * 1024;
  void* stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(stack != MAP_FAILED && pthread_attr_setstack(&attributes, stack, bytes) == 0);
  EXPECT(pthread_create(&t, &attributes, in_own_stack, stack) == 0);
  EXPECT(pthread_join(t, &value) == 0 && value == stack);

  EXPECT(pthread_create(&t, NULL, in_blocked, stack) == 0);
  EXPECT(pthread_join(t, &value) == 0 && value == stack);

  sigset_t all, old;
  sigfillset(&all);
  EXPECT(pthread_sigmask(SIG_SETMASK, &all, &old) == 0);
  EXPECT(pthread_create(&t, NULL, in_inherited_block, stack) == 0);
  EXPECT(pthread_sigmask(SIG_SETMASK, &old, NULL) == 0);
  EXPECT(pthread_join(t, &value) == 0 && value == stack);

  EXPECT(pthread_create(&t, NULL, in_leaving, stack) == 0);
  EXPECT(pthread_join(t, &value) == 0 && value == stack);

  int flag = 0;
  EXPECT(pthread_create(&t, NULL, in_cancelled, &flag) == 0);
  usleep(400000);
  EXPECT(pthread_cancel(t) == 0);
  EXPECT(pthread_join(t, &value) == 0 && value == PTHREAD_CANCELED && flag == 1);
  fact("threads", 7);
  return 0;
}
