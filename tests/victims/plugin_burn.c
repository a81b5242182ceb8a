// A library that burns CPU time: in its caller, or in a thread of its own.
#include "victim.h"

static pthread_t g_thread;
static double g_seconds;

static void native_burn(double seconds) { BURN_NS((int64_t)(seconds * 1e9)); }

void burn_here(double seconds) { native_burn(seconds); }

static void* native_thread(void* unused) {
  native_burn(g_seconds);
  return unused;
}

void burn_in_thread(double seconds) {
  g_seconds = seconds;
  EXPECT(pthread_create(&g_thread, NULL, native_thread, NULL) == 0);
}

void join_thread(void) { pthread_join(g_thread, NULL); }
