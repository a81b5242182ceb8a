// What the victims share: facts they print about themselves, CPU time they burn, and their way to fail.
#pragma once

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// A victim whose own expectation of the system is hurt ends with this status and says on stderr what was wrong.
#define VICTIM_FAILED 99

#define EXPECT(condition)                                                                  \
  do {                                                                                     \
    if (!(condition)) {                                                                    \
      dprintf(2, "%s:%d: not so: %s (errno %d)\n", __FILE__, __LINE__, #condition, errno); \
      _exit(VICTIM_FAILED);                                                                \
    }                                                                                      \
  } while (0)

// Facts are lines "name value" on stdout. Written without stdio's buffer, which would be an allocation.
static inline void fact(const char* name, long long value) { dprintf(1, "%s %lld\n", name, value); }

static inline int64_t clock_ns(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
static inline int64_t thread_cpu_ns(void) { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }
static inline int64_t process_cpu_ns(void) { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }
static inline int64_t now_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

// CPU time of the whole process as the kernel books it, in ns.
static inline int64_t rusage_cpu_ns(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000LL + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000LL;
}

// Burns CPU time of this thread until its CPU clock has advanced by `ns`. A macro, so that the time is the caller's
// own.
#define BURN_NS(ns)                                                         \
  do {                                                                      \
    const int64_t burn_until = thread_cpu_ns() + (ns);                      \
    while (thread_cpu_ns() < burn_until) {                                  \
      for (int burn_i = 0; burn_i < 100000; ++burn_i) __asm__ volatile(""); \
    }                                                                       \
  } while (0)

static inline void burn_ms(long ms) { BURN_NS(ms * 1000000LL); }

static inline long argument(int argc, char** argv, int index, long otherwise) {
  return argc > index ? strtol(argv[index], NULL, 10) : otherwise;
}

// A small generator, the same sequence in every run.
static inline uint32_t next_random(uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}
