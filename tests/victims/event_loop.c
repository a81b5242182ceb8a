// An event loop of epoll, some of whose turns are long.
//
//   event_loop turns     10 that compute for 30 ms, 6 that sleep for 40 ms, 50 short ones; behind each of the long ones
//                        two events wait
//   event_loop nested    the same 10, each with a loop of its own inside, on another set
//   event_loop anew      a set is made, waited for once and closed, ten times, with 30 ms of computing in between: no
//   loop event_loop threads   four threads one after the other, each with 5 that compute
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "victim.h"

static volatile unsigned long sink;

__attribute__((noinline)) static void computes(int ms) {
  const int64_t end = thread_cpu_ns() + ms * 1000000LL;
  while (thread_cpu_ns() < end) ++sink;
}

__attribute__((noinline)) static void sleeps(int ms) {
  const struct timespec rest = {0, ms * 1000000l};
  nanosleep(&rest, NULL);
}

static int set_with(int count, int* events) {
  const int set = epoll_create1(0);
  for (int i = 0; i < count; ++i) {
    events[i] = eventfd(0, 0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = events[i]};
    EXPECT(epoll_ctl(set, EPOLL_CTL_ADD, events[i], &event) == 0);
  }
  return set;
}

static void signal_events(int count, const int* events) {
  for (int i = 0; i < count; ++i) EXPECT(eventfd_write(events[i], 1) == 0);
}

// Waits, and takes what there is.
static int turn(int set) {
  struct epoll_event found[4];
  const int n = epoll_wait(set, found, 4, 1000);
  EXPECT(n > 0);
  for (int i = 0; i < n; ++i) {
    eventfd_t value;
    EXPECT(eventfd_read(found[i].data.fd, &value) == 0);
  }
  return n;
}

static void inner_loop(void) {
  int event;
  const int set = set_with(1, &event);
  for (int i = 0; i < 3; ++i) {
    signal_events(1, &event);
    turn(set);
  }
  close(event);
  close(set);
}

static void* run_turns(void* how) {
  const int nested = strcmp(how, "nested") == 0, few = strcmp(how, "threads") == 0;
  int events[2];
  const int set = set_with(2, events);
  signal_events(1, events);
  turn(set);
  for (int i = 0; i < (few ? 5 : 10); ++i) {
    computes(30);
    if (nested) inner_loop();
    signal_events(2, events);
    EXPECT(turn(set) == 2);
  }
  for (int i = 0; i < 6 && !nested && !few; ++i) {
    sleeps(40);
    signal_events(2, events);
    EXPECT(turn(set) == 2);
  }
  for (int i = 0; i < 50; ++i) {
    signal_events(1, events);
    turn(set);
  }
  close(events[0]);
  close(events[1]);
  close(set);
  return NULL;
}

int main(int argc, char** argv) {
  char* how = argc > 1 ? argv[1] : "turns";
  if (strcmp(how, "anew") == 0) {
    for (int i = 0; i < 10; ++i) {
      inner_loop();
      computes(30);
    }
  } else if (strcmp(how, "threads") == 0) {
    for (int i = 0; i < 4; ++i) {
      pthread_t thread;
      EXPECT(pthread_create(&thread, NULL, run_turns, how) == 0);
      EXPECT(pthread_join(thread, NULL) == 0);
    }
  } else {
    run_turns(how);
  }
  return 0;
}
