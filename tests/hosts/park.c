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
  if (its % 2 == 0) return;
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

static bool wait_for(unsigned count, int64_t at_most_ns) {
  const struct timespec moment = {0, 20000};
  const int64_t began = now_ns();
  while (parked != count) {
    if (now_ns() - began > at_most_ns) return false;
    nanosleep(&moment, NULL);
  }
  return true;
}

static void collect(struct step* s, bool stands) {
  for (uint64_t i = between(s, 1, 10); i > 0; --i) {
    const size_t size = 4096 * between(s, 1, 64);
    fold(s, size);
    if (!stands) continue;
    char* at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(at != MAP_FAILED);
    at[0] = 1;
    if (size % 3 == 0) CHECK(mprotect(at, size, PROT_READ) == 0);
    if (size % 5 == 0) CHECK(madvise(at, size, MADV_DONTNEED) == 0);
    CHECK(munmap(at, size) == 0);
  }
}

void park_operation(struct step* s) {
  for (int i = 0; i < 3; ++i) {
    CHECK(pthread_mutex_lock(&collector) == 0);
    // One that collects is not interrupted itself.
    const struct quiet q = be_quiet();
    ++era;
    signal_others(SIGNAL_PARK);
    // One that holds its signals may wait for a lock of the C library that a parked one has: not this time then.
    collect(s, wait_for(slot_count - 1, 100000000));
    ++era;
    signal_others(SIGNAL_RESUME);
    wait_for(0, INT64_MAX);
    be_loud(&q);
    CHECK(pthread_mutex_unlock(&collector) == 0);
  }
}
