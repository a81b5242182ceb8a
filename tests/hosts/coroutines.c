// Coroutines on small stacks that allocate, block and jump; each has its own guard page and says what it came to.
#include <setjmp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/hosts/host.h"

enum { page = 4096, most = 8 };

struct coroutine {
  ucontext_t context;
  struct step s;
  char* region;
  size_t size;
  bool ended;
};
struct scheduler {
  ucontext_t context;
  struct coroutine its[most];
  unsigned count, now;
};
static _Thread_local struct scheduler* scheduler;

// Looked up again after each switch; a coroutine stays in its thread.
static __attribute__((noinline)) struct scheduler* own_scheduler(void) { return scheduler; }

static __attribute__((noinline)) void yield(void) {
  struct scheduler* o = own_scheduler();
  CHECK(swapcontext(&o->its[o->now].context, &o->context) == 0);
}

static __attribute__((noinline)) uint64_t deeper(struct step* s, int depth) {
  volatile char frame[64];
  frame[depth] = (char)depth;
  if (depth == 0) {
    yield();
    return draw(s);
  }
  return deeper(s, depth - 1) + (uint64_t)frame[depth];
}

static void body(void) {
  struct coroutine* c = &own_scheduler()->its[own_scheduler()->now];
  struct step* s = &c->s;
  for (uint64_t i = between(s, 2, 12); i > 0; --i) {
    const size_t size = between(s, 1, 3000);
    char* block = malloc(size);
    CHECK(block != NULL);
    memset(block, (int)i, size);
    yield();
    CHECK(block[size - 1] == (char)i);
    free(block);
    switch (below(s, 6)) {
      case 0:
        sleep_us((unsigned)below(s, 300));
        break;
      case 1:
        burn_us((unsigned)below(s, 300));
        break;
      case 2: {
        void* at = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(at != MAP_FAILED);
        yield();
        CHECK(munmap(at, page) == 0);
        break;
      }
      case 3:
        fold(s, deeper(s, (int)below(s, 6)));
        break;
      case 4: {
        jmp_buf here;
        volatile int rounds = 0;
        if (setjmp(here) < 3) {
          ++rounds;
          longjmp(here, rounds);
        }
        CHECK(rounds == 3);
        break;
      }
      default:
        yield();
        break;
    }
    fold(s, size);
  }
  c->ended = true;
}

static void prepare(struct step* s, struct scheduler* o, unsigned i) {
  struct coroutine* c = &o->its[i];
  c->size = (8 << 10) + page * below(s, 14);
  c->region = mmap(NULL, c->size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(c->region != MAP_FAILED && mprotect(c->region + page, c->size, PROT_READ | PROT_WRITE) == 0);
  c->s = (struct step){.random = draw(s), .outcome = 0, .forked = s->forked};
  c->ended = false;
  CHECK(getcontext(&c->context) == 0);
  c->context.uc_stack.ss_sp = c->region + page;
  c->context.uc_stack.ss_size = c->size;
  c->context.uc_link = &o->context;
  makecontext(&c->context, body, 0);
}

void coroutines_operation(struct step* s) {
  struct scheduler* o = malloc(sizeof(*o));
  CHECK(o != NULL);
  o->count = (unsigned)between(s, 1, most);
  scheduler = o;
  // The program's own signals stay away from small stacks.
  const struct quiet q = be_quiet();
  for (unsigned i = 0; i < o->count; ++i) prepare(s, o, i);
  unsigned alive = o->count;
  while (alive > 0) {
    o->now = (unsigned)below(s, o->count);
    struct coroutine* c = &o->its[o->now];
    if (c->ended) continue;
    CHECK(swapcontext(&o->context, &c->context) == 0);
    if (!c->ended) continue;
    --alive;
    fold(s, c->s.outcome);
    CHECK(munmap(c->region, c->size + 2 * page) == 0);
  }
  be_loud(&q);
  scheduler = NULL;
  free(o);
}
