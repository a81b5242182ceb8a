// Faults that a program handles: a collector's write barrier, files that shrank, numbers divided by zero; out of the
// program's own code and out of memcpy, by return and by jump.
#include <setjmp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/hosts/host.h"

enum { page = 4096 };
static _Thread_local char* volatile barrier;
static _Thread_local volatile unsigned barrier_hits;
static _Thread_local sigjmp_buf way_out;
static _Thread_local volatile sig_atomic_t may_jump;

static void on_fault(int number, siginfo_t* info, void* context) {
  const int error = errno;
  (void)context;
  char* at = info->si_addr;
  if (number == SIGSEGV && barrier && at >= barrier && at < barrier + page) {
    if (mprotect(barrier, page, PROT_READ | PROT_WRITE) != 0) _exit(6);
    ++barrier_hits;
    errno = error;
    return;
  }
  if (may_jump) {
    may_jump = 0;
    siglongjmp(way_out, number);
  }
  say("host: pid %d seed %llu %s: signal %d (code %d) at %p\n", getpid(), (unsigned long long)the_seed,
      own_slot && own_slot->operation ? own_slot->operation : "?", number, info->si_code, (void*)at);
  signal(number, SIG_DFL);
}

void install_faults(void) {
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  all_but_faults(&action.sa_mask);
  CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
  CHECK(sigaction(SIGBUS, &action, NULL) == 0);
  CHECK(sigaction(SIGFPE, &action, NULL) == 0);
  CHECK(sigaction(SIGILL, &action, NULL) == 0);
}

static void write_barriers(struct step* s) {
  char* memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  barrier_hits = 0;
  barrier = memory;
  char text[200];
  fill(text, sizeof(text), 9);
  for (unsigned i = 1; i <= 8; ++i) {
    CHECK(mprotect(memory, page, PROT_NONE) == 0);
    const size_t offset = below(s, page - sizeof(text));
    switch (below(s, 3)) {
      case 0:
        ((volatile char*)memory)[offset] = 1;
        break;
      case 1:
        memcpy(memory + offset, text, sizeof(text));
        break;
      default:
        memset(memory, 2, page);
        break;
    }
    CHECK(barrier_hits == i);
  }
  // The kernel raises nothing: it says so.
  CHECK(mprotect(memory, page, PROT_NONE) == 0);
  int ends[2];
  CHECK(pipe(ends) == 0);
  errno = 0;
  CHECK(write(ends[1], memory, 10) == -1 && errno == EFAULT);
  CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
  CHECK(barrier_hits == 8);
  barrier = NULL;
  CHECK(munmap(memory, page) == 0);
}

static int jump_out_of(unsigned kind, char* gone, char* here) {
  volatile int zero = 0;
  const int came = sigsetjmp(way_out, 1);
  if (came != 0) return came;
  may_jump = 1;
  switch (kind) {
    case 0:
      here[0] = ((volatile char*)gone)[0];
      break;
    case 1:
      memcpy(here, gone, 2000);
      break;
    case 2:
      memmove(gone, here, 100);
      break;
    case 3:
      zero = 7 / zero;
      break;
    case 4:
      __asm__ volatile("ud2");
      break;
    default:
      ((volatile char*)16)[0] = (char)zero;
      break;
  }
  may_jump = 0;
  return 0;
}

void faults_operation(struct step* s) {
  write_barriers(s);
  char name[] = "/tmp/prof-host-XXXXXX";
  const int fd = mkstemp(name);
  CHECK(fd >= 0 && unlink(name) == 0 && ftruncate(fd, 2 * page) == 0);
  char* mapped = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  CHECK(mapped != MAP_FAILED && ftruncate(fd, 0) == 0);
  char* here = malloc(4096);
  CHECK(here != NULL);
  static const int expected[] = {SIGBUS, SIGBUS, SIGBUS, SIGFPE, SIGILL, SIGSEGV};
  for (int i = 0; i < 8; ++i) {
    const unsigned kind = (unsigned)below(s, 6);
    CHECK(jump_out_of(kind, mapped, here) == expected[kind]);
    free(malloc(between(s, 1, 5000)));
    fold(s, kind);
  }
  free(here);
  CHECK(munmap(mapped, 2 * page) == 0 && close(fd) == 0);
}
