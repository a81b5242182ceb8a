// A program's own account of its blocking calls: how often each was called, failed, how long it took and what it moved.
#pragma once

#include <stdatomic.h>

#include "victim.h"

struct WaitRow {
  const char* name;
  _Atomic long long calls, failed, ns, bytes;
};

#define MOST_ROWS 64
static struct WaitRow wait_rows[MOST_ROWS];
static pthread_mutex_t wait_rows_lock = PTHREAD_MUTEX_INITIALIZER;

static inline struct WaitRow* wait_row(const char* name) {
  pthread_mutex_lock(&wait_rows_lock);
  int i = 0;
  while (i < MOST_ROWS && wait_rows[i].name != NULL && strcmp(wait_rows[i].name, name) != 0) ++i;
  EXPECT(i < MOST_ROWS);
  wait_rows[i].name = name;
  pthread_mutex_unlock(&wait_rows_lock);
  return &wait_rows[i];
}

static inline void ledger_note(const char* name, long long ns, int failed, long long bytes) {
  struct WaitRow* row = wait_row(name);
  row->calls += 1;
  row->failed += failed;
  row->ns += ns;
  if (!failed) row->bytes += bytes;
}

// The value of an expression that calls `function` once; below 0 it failed. What it returns is the number of bytes.
#define MOVED(function, ...)                                     \
  ({                                                             \
    const int64_t began_ = now_ns();                             \
    const long moved_ = (long)function(__VA_ARGS__);             \
    const int64_t ended_ = now_ns();                             \
    const int error_ = errno;                                    \
    ledger_note(#function, ended_ - began_, moved_ < 0, moved_); \
    errno = error_;                                              \
    moved_;                                                      \
  })
// The same for functions that move nothing.
#define WAITED(function, ...)                                \
  ({                                                         \
    const int64_t began_ = now_ns();                         \
    const long waited_ = (long)function(__VA_ARGS__);        \
    const int64_t ended_ = now_ns();                         \
    const int error_ = errno;                                \
    ledger_note(#function, ended_ - began_, waited_ < 0, 0); \
    errno = error_;                                          \
    waited_;                                                 \
  })

// Facts "wait.NAME.calls" and so on.
static inline void print_ledger(void) {
  for (int i = 0; i < MOST_ROWS && wait_rows[i].name != NULL; ++i) {
    const struct WaitRow* r = &wait_rows[i];
    dprintf(1, "wait.%s.calls %lld\nwait.%s.failed %lld\nwait.%s.ns %lld\nwait.%s.bytes %lld\n", r->name, r->calls,
            r->name, r->failed, r->name, r->ns, r->name, r->bytes);
  }
}

static inline void sleep_ms(long ms) {
  const struct timespec t = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&t, NULL);
}
