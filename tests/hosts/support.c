// Random numbers, checksums, time, masks.
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/hosts/host.h"

uint64_t scramble(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

uint64_t draw(struct step* s) {
  s->random += 0x9e3779b97f4a7c15u;
  return scramble(s->random);
}
uint64_t below(struct step* s, uint64_t n) { return draw(s) % n; }
uint64_t between(struct step* s, uint64_t low, uint64_t high) { return low + below(s, high - low + 1); }
bool once_in(struct step* s, uint64_t n) { return below(s, n) == 0; }
void fold(struct step* s, uint64_t value) { s->outcome = scramble(s->outcome ^ value); }

// Bytes are written one by one where they do not fill a word: nothing here calls what a profiler replaces.
void fill(void* to, size_t size, uint64_t seed) {
  unsigned char* bytes = to;
  for (size_t i = 0; i < size; ++i) bytes[i] = (unsigned char)((seed + i * 167) ^ (seed >> 13) ^ (i >> 8));
}

bool filled(const void* from, size_t size, uint64_t seed) {
  const unsigned char* bytes = from;
  for (size_t i = 0; i < size; ++i)
    if (bytes[i] != (unsigned char)((seed + i * 167) ^ (seed >> 13) ^ (i >> 8))) return false;
  return true;
}

int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

pid_t own_tid(void) { return (pid_t)syscall(SYS_gettid); }

void burn_us(unsigned us) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  const int64_t until = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec + us * 1000LL;
  do {
    for (int i = 0; i < 2000; ++i) __asm__ volatile("");
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while ((int64_t)t.tv_sec * 1000000000 + t.tv_nsec < until);
}

void sleep_us(unsigned us) {
  const int64_t began = now_ns();
  struct timespec left = {us / 1000000, us % 1000000 * 1000};
  while (nanosleep(&left, &left) != 0) CHECK(errno == EINTR);
  CHECK(now_ns() - began >= us * 1000LL);
}

void all_but_faults(sigset_t* set) {
  sigfillset(set);
  sigdelset(set, SIGSEGV);
  sigdelset(set, SIGBUS);
  sigdelset(set, SIGFPE);
  sigdelset(set, SIGILL);
  sigdelset(set, SIGABRT);
}

struct quiet be_quiet(void) {
  struct quiet q;
  sigset_t all;
  all_but_faults(&all);
  CHECK(pthread_sigmask(SIG_BLOCK, &all, &q.before) == 0);
  return q;
}

void be_loud(const struct quiet* q) { CHECK(pthread_sigmask(SIG_SETMASK, &q->before, NULL) == 0); }
