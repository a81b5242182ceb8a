// Stops the world as collectors do: a signal parks every other thread in its handler; the one that collects maps and
// unmaps, and allocates nothing, since any thread may have been stopped inside malloc.
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/hosts/host.h"

static pthread_mutex_t collector = PTHREAD_MUTEX_INITIALIZER;
static _Atomic unsigned parked;
static _Atomic unsigned era;  // odd while the world stands still

static void on_resume(int number) { (void)number; }

static void on_park(int number) {
  const int error = errno;
  (void)number;
  const unsigned its = era;
  sigset_t but_resume;
  sigfillset(&but_resume);
  sigdelset(&but_resume, SIGNAL_RESUME);
  ++parked;
  while (era == its) sigsuspend(&but_resume);
  --parked;
  errno = error;
}

void install_parking(void) {
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  sigfillset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  action.sa_handler = on_park;
  CHECK(sigaction(SIGNAL_PARK, &action, NULL) == 0);
  action.sa_handler = on_resume;
  CHECK(sigaction(SIGNAL_RESUME, &action, NULL) == 0);
}

static void signal_others(int number) {
  for (unsigned i = 0; i < slot_count; ++i)
    if (&slots[i] != own_slot) CHECK(syscall(SYS_tgkill, getpid(), slots[i].tid, number) == 0);
}

static void wait_for(unsigned count) {
  const struct timespec moment = {0, 20000};
  while (parked != count) nanosleep(&moment, NULL);
}

static void collect(struct step* s) {
  for (uint64_t i = between(s, 1, 10); i > 0; --i) {
    const size_t size = 4096 * between(s, 1, 64);
    char* at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(at != MAP_FAILED);
    at[0] = 1;
    if (once_in(s, 2)) CHECK(mprotect(at, size, PROT_READ) == 0);
    if (once_in(s, 3)) CHECK(madvise(at, size, MADV_DONTNEED) == 0);
    CHECK(munmap(at, size) == 0);
    fold(s, size);
  }
}

void park_operation(struct step* s) {
  for (int i = 0; i < 3; ++i) {
    CHECK(pthread_mutex_lock(&collector) == 0);
    // One that collects is not interrupted itself.
    const struct quiet q = be_quiet();
    ++era;
    signal_others(SIGNAL_PARK);
    wait_for(slot_count - 1);
    collect(s);
    ++era;
    signal_others(SIGNAL_RESUME);
    wait_for(0);
    be_loud(&q);
    CHECK(pthread_mutex_unlock(&collector) == 0);
  }
}
