// Alternate signal stacks of all sizes, set, changed, taken away and unmapped; stacks that overflow; deep stacks.
#include <alloca.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/hosts/host.h"

enum { page = 4096, slot_stack = 64 << 10 };
static const unsigned disarm = 1u << 31;  // SS_AUTODISARM
static _Thread_local char* slot_memory;

// What a signal's frame takes on this processor.
static size_t frame_size(void) {
  const size_t least = getauxval(AT_MINSIGSTKSZ);
  return least ? least : 2048;
}

void take_alternate_stack(void) {
  slot_memory = mmap(NULL, slot_stack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(slot_memory != MAP_FAILED);
  const stack_t its = {.ss_sp = slot_memory, .ss_size = slot_stack, .ss_flags = 0};
  CHECK(sigaltstack(&its, NULL) == 0);
}

void drop_alternate_stack(void) {
  const stack_t none = {.ss_flags = SS_DISABLE};
  CHECK(sigaltstack(&none, NULL) == 0 && munmap(slot_memory, slot_stack) == 0);
}

static _Thread_local char *probe_low, *probe_high;
static _Thread_local volatile int probe_seen;
static _Thread_local bool probe_disarms;

// Notes whether it runs on the stack that it should run on.
static void on_probe(int number) {
  const int error = errno;
  char here;
  stack_t now;
  (void)number;
  CHECK(sigaltstack(NULL, &now) == 0);
  const bool inside = &here >= probe_low && &here < probe_high;
  CHECK(probe_low == NULL || inside);
  if (inside && probe_seen == 0) {
    const stack_t none = {.ss_flags = SS_DISABLE};
    if (probe_disarms) {
      CHECK(now.ss_flags == SS_DISABLE && sigaltstack(&none, NULL) == 0);
    } else {
      CHECK((now.ss_flags & SS_ONSTACK) != 0 && now.ss_sp == (void*)probe_low);
      CHECK(sigaltstack(&none, NULL) == -1 && errno == EPERM);
    }
  }
  ++probe_seen;
  errno = error;
}

static void probe(char* low, size_t size) {
  probe_low = low;
  probe_high = low + size;
  probe_seen = 0;
  CHECK(pthread_kill(pthread_self(), SIGXFSZ) == 0);
  CHECK(probe_seen == 1);
}

static void one_stack(struct step* s) {
  const size_t size = once_in(s, 3) ? between(s, 2048, 6000) : between(s, 2048, 32768) / 16 * 16;
  const size_t room = (size + page - 1) / page * page;
  char* region = mmap(NULL, room + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(region != MAP_FAILED && mprotect(region + page, room, PROT_READ | PROT_WRITE) == 0);
  // It ends or begins at a page that nobody may touch.
  char* low = once_in(s, 2) ? region + page : region + page + (room - size);
  const bool disarms = once_in(s, 6);
  const stack_t mine = {.ss_sp = low, .ss_size = size, .ss_flags = disarms ? (int)disarm : 0};
  stack_t before, now;
  CHECK(sigaltstack(&mine, &before) == 0);
  CHECK(sigaltstack(NULL, &now) == 0);
  CHECK(now.ss_sp == (void*)low && now.ss_size == size && now.ss_flags == mine.ss_flags);
  burn_us((unsigned)below(s, 700));
  free(malloc(between(s, 1, 200000)));
  if (size >= frame_size() + 4096) {
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_probe;
    action.sa_flags = SA_ONSTACK;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    CHECK(sigaction(SIGXFSZ, &action, NULL) == 0);
    CHECK(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
    probe_disarms = disarms;
    probe(low, size);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    fold(s, 1);
  }
  const stack_t none = {.ss_flags = SS_DISABLE};
  if (once_in(s, 2)) {
    CHECK(sigaltstack(&none, &now) == 0 && now.ss_sp == (void*)low && now.ss_size == size);
    CHECK(munmap(region, room + 2 * page) == 0);
    CHECK(sigaltstack(NULL, &now) == 0 && now.ss_flags == SS_DISABLE);
    burn_us((unsigned)below(s, 300));
    CHECK(sigaltstack(&before, NULL) == 0);
  } else {
    CHECK(sigaltstack(&before, NULL) == 0);
    CHECK(munmap(region, room + 2 * page) == 0);
  }
  fold(s, size);
}

// A thread begins without an alternate stack.
static void* has_none(void* unused) {
  stack_t now;
  for (int i = 0; i < 2; ++i) {
    CHECK(sigaltstack(NULL, &now) == 0 && now.ss_flags == SS_DISABLE && now.ss_size == 0);
    burn_us(50);
  }
  return unused;
}

void alternate_operation(struct step* s) {
  const struct quiet q = be_quiet();
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, has_none, NULL) == 0 && pthread_join(thread, NULL) == 0);
  for (int i = 0; i < 4; ++i) one_stack(s);
  char small[1000];
  const stack_t too_small = {.ss_sp = small, .ss_size = sizeof(small), .ss_flags = 0};
  errno = 0;
  CHECK(sigaltstack(&too_small, NULL) == -1 && errno == ENOMEM);
  const stack_t wrong = {.ss_sp = small, .ss_size = sizeof(small), .ss_flags = 0x100};
  errno = 0;
  CHECK(sigaltstack(&wrong, NULL) == -1 && errno == EINVAL);
  be_loud(&q);
}

static int dig(int depth, size_t size) {
  volatile char* frame = alloca(size);
  frame[0] = (char)depth;
  frame[size - 1] = (char)depth;
  if (depth == 0) {
    free(malloc(1000));
    burn_us(100);
    return 0;
  }
  return dig(depth - 1, size) + (frame[0] == (char)depth);
}

// No more than what the smallest stack of a thread of the fuzzer has.
void recurse_operation(struct step* s) {
  for (int i = 0; i < 4; ++i) {
    const size_t size = between(s, 16, 4000);
    const int depth = (int)between(s, 1, (200 << 10) / (size + 200));
    CHECK(dig(depth, size) == depth);
    fold(s, (uint64_t)depth);
  }
}

static _Thread_local sigjmp_buf overflown;

static void on_overflow(int number) {
  (void)number;
  siglongjmp(overflown, 1);
}

// Deeper than any stack; the compiler cannot know.
static volatile int far_away = 1 << 30;

static int dig_for_ever(int depth) {
  volatile char frame[200];
  frame[depth % 200] = 1;
  if (depth == far_away) return 0;
  return dig_for_ever(depth + 1) + frame[7];
}

static void handle_overflow(void) {
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_handler = on_overflow;
  action.sa_flags = SA_ONSTACK;
  CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
}

static uint64_t survives(struct step* s, void* argument) {
  (void)argument;
  handle_overflow();
  uint64_t times = 0;
  if (sigsetjmp(overflown, 1) == 0) dig_for_ever(0);
  ++times;
  free(malloc(between(s, 1, 100000)));
  burn_us(500);
  if (sigsetjmp(overflown, 1) == 0) dig_for_ever(0);
  return times + 1;
}

// Without an alternate stack nothing can handle it: the process dies.
static uint64_t dies(struct step* s, void* argument) {
  (void)s;
  (void)argument;
  handle_overflow();
  const stack_t none = {.ss_flags = SS_DISABLE};
  CHECK(sigaltstack(&none, NULL) == 0);
  if (sigsetjmp(overflown, 1) == 0) dig_for_ever(0);
  return 1;
}

void overflow_operation(struct step* s) {
  fold(s, in_child(s, survives, NULL, -1));
  if (!has_own_code()) in_child(s, dies, NULL, SIGSEGV);
}
