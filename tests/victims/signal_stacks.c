// Alternate signal stacks as programs have them: none, too small, given back, and handlers that need much of what they
// run on. Prints what it finds set, and burns CPU time so that ticks come.
#include <sys/auxv.h>

#include "victim.h"

enum { kBlocks = 64, kBlockBytes = 1 << 16, kDeep = 200000 };

static volatile char kept;

static void deep(int signal) {
  (void)signal;
  volatile char room[kDeep];
  for (size_t i = 0; i < sizeof room; i += 64) room[i] = 1;
  kept = room[kDeep / 2];
}

// Without an alternate stack a handler runs where the program stands, however much it takes.
static void deep_handler(void) {
  const struct sigaction action = {.sa_handler = deep, .sa_flags = SA_ONSTACK | SA_RESTART};
  EXPECT(sigaction(SIGUSR1, &action, NULL) == 0);
  unsigned char* blocks[kBlocks];
  for (int i = 0; i < kBlocks; ++i) {
    blocks[i] = mmap(NULL, kBlockBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(blocks[i] != MAP_FAILED);
    memset(blocks[i], 7, kBlockBytes);
  }
  for (int i = 0; i < 20; ++i) {
    burn_ms(5);
    raise(SIGUSR1);
  }
  for (int i = 0; i < kBlocks; ++i) {
    for (int k = 0; k < kBlockBytes; ++k) EXPECT(blocks[i][k] == 7);
  }
}

static void never(int signal) {
  (void)signal;
  _exit(42);
}

static int overflow(int n) {
  volatile char room[1000];
  room[0] = (char)n;
  return n < 0 ? 0 : overflow(n + 1) + room[0];
}

static void* overflows(void* unused) {
  (void)unused;
  return (void*)(long)overflow(0);
}

static void set(char* start, size_t bytes) {
  const stack_t stack = {.ss_sp = start, .ss_size = bytes};
  EXPECT(sigaltstack(&stack, NULL) == 0);
  stack_t now;
  EXPECT(sigaltstack(NULL, &now) == 0 && now.ss_sp == start && now.ss_size == bytes && now.ss_flags == 0);
}

static char* guarded(size_t bytes) {
  const size_t pages = (bytes + 4095) / 4096 * 4096;
  char* start = mmap(NULL, pages + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(start != MAP_FAILED && mprotect(start + 4096, pages, PROT_READ | PROT_WRITE) == 0);
  return start + 4096;
}

// What a thread with such a stack does is not sampled; with a better one it is.
static void of_size(size_t bytes) {
  set(guarded(bytes), bytes);
  burn_ms(200);
}

static void gone(void) {
  char* start = guarded(1 << 16);
  set(start, 1 << 16);
  EXPECT(munmap(start, 1 << 16) == 0);
  burn_ms(200);
}

static void* in_thread(void* mode) {
  if (strcmp(mode, "small") == 0) of_size(MINSIGSTKSZ);
  if (strcmp(mode, "least") == 0) of_size(getauxval(51 /* AT_MINSIGSTKSZ */) + 512);
  if (strcmp(mode, "gone") == 0) gone();
  return NULL;
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "deep";
  stack_t found;
  EXPECT(sigaltstack(NULL, &found) == 0);
  fact("disabled", (found.ss_flags & SS_DISABLE) != 0);
  const struct sigaction action = {.sa_handler = never, .sa_flags = SA_ONSTACK};
  pthread_t thread;
  if (strcmp(mode, "deep") == 0) {
    deep_handler();
  } else if (strcmp(mode, "overflow") == 0) {
    EXPECT(sigaction(SIGSEGV, &action, NULL) == 0);
    return overflow(0);
  } else if (strcmp(mode, "thread_overflow") == 0) {
    EXPECT(sigaction(SIGSEGV, &action, NULL) == 0);
    EXPECT(pthread_create(&thread, NULL, overflows, NULL) == 0 && pthread_join(thread, NULL) == 0);
  } else {
    EXPECT(pthread_create(&thread, NULL, in_thread, (void*)mode) == 0 && pthread_join(thread, NULL) == 0);
    in_thread((void*)mode);
    burn_ms(200);
  }
  fact("done", 1);
  return 0;
}
