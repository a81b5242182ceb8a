// Threads that are cancelled: in calls that block, at a test, in a loop, and where they forbid it.
#include <poll.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/hosts/host.h"

struct victim {
  unsigned kind;
  int ends[2];
  sem_t never, there;
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  _Atomic unsigned cleaned;
};

static void clean(void* argument) {
  struct victim* v = argument;
  free(malloc(500));
  ++v->cleaned;
}
static void clean_mutex(void* mutex) { CHECK(pthread_mutex_unlock(mutex) == 0); }

static void block_for_ever(struct victim* v) {
  char byte;
  switch (v->kind) {
    case 0:
      for (;;) (void)!read(v->ends[0], &byte, 1);
    case 1:
      for (;;) {
        const struct timespec long_ns = {100, 0};
        nanosleep(&long_ns, NULL);
      }
    case 2: {
      struct pollfd fd = {v->ends[0], POLLIN, 0};
      for (;;) poll(&fd, 1, -1);
    }
    case 3:
      for (;;) sem_wait(&v->never);
    case 4:
      CHECK(pthread_mutex_lock(&v->mutex) == 0);
      pthread_cleanup_push(clean_mutex, &v->mutex);
      for (;;) pthread_cond_wait(&v->condition, &v->mutex);
      pthread_cleanup_pop(0);
      break;
    case 5:
      for (;;) pause();
    case 6:
      for (;;) recv(v->ends[0], &byte, 1, 0);
    case 7:
      for (;;) {
        fd_set set;
        FD_ZERO(&set);
        FD_SET(v->ends[0], &set);
        select(v->ends[0] + 1, &set, NULL, NULL, NULL);
      }
    case 8:
      for (;;) {
        free(malloc(100));
        pthread_testcancel();
      }
    case 9: {
      int before;
      CHECK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before) == 0);
      for (;;) __asm__ volatile("");
    }
    case 10: {
      int before;
      CHECK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before) == 0);
      sleep_us(300);
      CHECK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before) == 0);
      for (;;) pthread_testcancel();
    }
    default: {
      sigset_t set;
      int got;
      sigemptyset(&set);
      sigaddset(&set, SIGRTMAX);
      for (;;) sigwait(&set, &got);
    }
  }
}

static void* run_victim(void* argument) {
  struct victim* v = argument;
  pthread_cleanup_push(clean, v);
  CHECK(sem_post(&v->there) == 0);
  block_for_ever(v);
  pthread_cleanup_pop(0);
  return NULL;
}

void cancel_operation(struct step* s) {
  for (int i = 0; i < 3; ++i) {
    struct victim v = {.kind = (unsigned)below(s, 12), .cleaned = 0};
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, v.ends) == 0);
    CHECK(sem_init(&v.never, 0, 0) == 0 && sem_init(&v.there, 0, 0) == 0);
    CHECK(pthread_mutex_init(&v.mutex, NULL) == 0 && pthread_cond_init(&v.condition, NULL) == 0);
    pthread_attr_t attributes;
    pthread_t thread;
    CHECK(pthread_attr_init(&attributes) == 0);
    if (once_in(s, 2)) CHECK(pthread_attr_setstacksize(&attributes, 65536) == 0);
    const struct quiet q = be_quiet();
    CHECK(pthread_create(&thread, &attributes, run_victim, &v) == 0);
    be_loud(&q);
    CHECK(pthread_attr_destroy(&attributes) == 0);
    while (sem_wait(&v.there) != 0) CHECK(errno == EINTR);
    if (once_in(s, 2)) sleep_us((unsigned)below(s, 1000));
    CHECK(pthread_cancel(thread) == 0);
    void* result;
    CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    CHECK(v.cleaned == 1);
    // The mutex was given back on the way.
    CHECK(pthread_mutex_trylock(&v.mutex) == 0 && pthread_mutex_unlock(&v.mutex) == 0);
    CHECK(pthread_mutex_destroy(&v.mutex) == 0 && pthread_cond_destroy(&v.condition) == 0);
    CHECK(sem_destroy(&v.never) == 0 && sem_destroy(&v.there) == 0);
    CHECK(close(v.ends[0]) == 0 && close(v.ends[1]) == 0);
    fold(s, v.kind);
  }
}
