// Runs code that it wrote itself and that points the stack pointer at a buffer on the heap, as matrix products of
// oneDNN do: whatever the kernel puts below it for a signal is written over the memory in front of the buffer.
//
//   own_code main|thread|pool|child   who runs it: the first thread, one that is made afterwards, one that
//                                     waited while the code was made, or a forked child
//   own_code small                    as pool, by a thread whose own signal stack cannot take a signal
//   own_code told|handlers|unwritable  alternate signal stacks are what the program made them
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>

#include "victim.h"

enum { kBytes = 1 << 20 };

static const unsigned char code[] = {
    0x48, 0x89, 0xe0,  // mov rax, rsp
    0x48, 0x89, 0xf4,  // mov rsp, rsi
    0x48, 0xff, 0xcf,  // again: dec rdi
    0x75, 0xfb,        // jnz again
    0x48, 0x89, 0xc4,  // mov rsp, rax
    0xc3,              // ret
};

static void (*spin)(long, void*);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waits, made;

static void make_code(void) {
  void* at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(at != MAP_FAILED);
  memcpy(at, code, sizeof code);
  EXPECT(mprotect(at, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
  spin = (void (*)(long, void*))at;
}

// Not one instruction of it is on the thread's own stack but for the two around.
__attribute__((noinline)) static void burn_in_code(int ms) {
  unsigned char* buffer = malloc(kBytes);
  EXPECT(buffer != NULL);
  memset(buffer, 7, kBytes);
  const int64_t until = thread_cpu_ns() + (int64_t)ms * 1000000;
  while (thread_cpu_ns() < until) spin(3000000, buffer + kBytes);
  long spoiled = 0;
  for (int i = 0; i < kBytes; ++i) spoiled += buffer[i] != 7;
  fact("spoiled", spoiled);
  EXPECT(spoiled == 0);
  free(buffer);
}

static void* in_thread(void* unused) {
  (void)unused;
  burn_in_code(400);
  return NULL;
}

static void* in_pool(void* unused) {
  (void)unused;
  burn_ms(50);
  EXPECT(pthread_mutex_lock(&lock) == 0);
  waits = 1;
  EXPECT(pthread_cond_broadcast(&changed) == 0);
  while (!made) EXPECT(pthread_cond_wait(&changed, &lock) == 0);
  EXPECT(pthread_mutex_unlock(&lock) == 0);
  burn_in_code(400);
  return NULL;
}

static void in_one(void* (*what)(void*)) {
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, what, NULL) == 0 && pthread_join(thread, NULL) == 0);
}

static void expect_none(void) {
  stack_t found;
  memset(&found, 9, sizeof found);
  EXPECT(sigaltstack(NULL, &found) == 0);
  EXPECT(found.ss_sp == NULL && found.ss_size == 0 && found.ss_flags == SS_DISABLE);
}

static void told(void) {
  static char room[1 << 16];
  const stack_t mine = {.ss_sp = room, .ss_size = sizeof room}, none = {.ss_flags = SS_DISABLE};
  for (int i = 0; i < 100; ++i) {
    expect_none();
    stack_t before;
    EXPECT(sigaltstack(&mine, &before) == 0 && before.ss_flags == SS_DISABLE && before.ss_sp == NULL);
    EXPECT(sigaltstack(&mine, NULL) == 0);
    EXPECT(sigaltstack(NULL, &before) == 0 && before.ss_sp == room && before.ss_size == sizeof room);
    EXPECT(sigaltstack(&none, i % 2 ? &before : NULL) == 0);
    if (i % 2) EXPECT(before.ss_sp == room);
    burn_in_code(10);
  }
  expect_none();
}

// A handler's frame brings back the stack that was set when it began; where there was none, the kernel keeps the
// handler's.
static char* of_handler;
static void sets_one(int signal) {
  (void)signal;
  const stack_t mine = {.ss_sp = of_handler, .ss_size = 1 << 16}, none = {.ss_flags = SS_DISABLE};
  EXPECT(sigaltstack(&mine, NULL) == 0 && sigaltstack(&none, NULL) == 0 && sigaltstack(&mine, NULL) == 0);
}

static void in_handlers(void) {
  of_handler = malloc(1 << 16);
  EXPECT(signal(SIGUSR1, sets_one) != SIG_ERR);
  for (int i = 0; i < 1000; ++i) {
    raise(SIGUSR1);
    if (i % 100 == 0) burn_in_code(40);
  }
  FILE* maps = fopen("/proc/self/maps", "r");
  int lines = 0;
  for (int c; maps != NULL && (c = getc(maps)) != EOF;) lines += c == '\n';
  EXPECT(maps != NULL && lines < 200);
  const stack_t none = {.ss_flags = SS_DISABLE};
  EXPECT(sigaltstack(&none, NULL) == 0);
}

// Waits with a stack that no tick may land on while the code is made.
static void* too_small(void* unused) {
  static char room[1 << 16];
  // What the kernel takes, unless it is told to ask for as much as this processor needs.
  const stack_t mine = {.ss_sp = room, .ss_size = 2048};
  EXPECT(sigaltstack(&mine, NULL) == 0 || errno == ENOMEM);
  return in_pool(unused);
}

static void unwritable(void) {
  char* page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  static char room[1 << 16];
  const stack_t mine = {.ss_sp = room, .ss_size = sizeof room};
  errno = 0;
  EXPECT(sigaltstack(&mine, (stack_t*)page) == -1 && errno == EFAULT);
  stack_t now;
  EXPECT(sigaltstack(NULL, &now) == 0 && now.ss_sp == room);
  burn_in_code(400);
  const stack_t none = {.ss_flags = SS_DISABLE};
  EXPECT(sigaltstack(&none, NULL) == 0);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "main";
  expect_none();
  const int small = strcmp(mode, "small") == 0;
  if (small || strcmp(mode, "pool") == 0) {
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, small ? too_small : in_pool, NULL) == 0);
    EXPECT(pthread_mutex_lock(&lock) == 0);
    while (!waits) EXPECT(pthread_cond_wait(&changed, &lock) == 0);
    make_code();
    made = 1;
    EXPECT(pthread_cond_broadcast(&changed) == 0 && pthread_mutex_unlock(&lock) == 0);
    EXPECT(pthread_join(thread, NULL) == 0);
  } else {
    make_code();
    expect_none();
    if (strcmp(mode, "main") == 0) burn_in_code(400);
    if (strcmp(mode, "thread") == 0) in_one(in_thread);
    if (strcmp(mode, "told") == 0) told();
    if (strcmp(mode, "handlers") == 0) in_handlers();
    if (strcmp(mode, "unwritable") == 0) unwritable();
    if (strcmp(mode, "child") == 0) {
      const pid_t child = fork();
      EXPECT(child >= 0);
      if (child == 0) {
        expect_none();
        burn_in_code(200);
        in_one(in_thread);
        return 0;
      }
      int status = 0;
      EXPECT(waitpid(child, &status, 0) == child && status == 0);
    }
  }
  expect_none();
  fact("done", 1);
  return 0;
}
