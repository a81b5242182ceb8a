// Calls that wait for an event or a time: what they return, in which errno they fail, and that they sleep no shorter.
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "tests/hosts/host.h"

static void times_out(struct step* s, int idle) {
  const long us = (long)below(s, 2500);
  const int ms = (int)(us / 1000);
  const struct timespec ns = {0, us * 1000};
  char byte;
  const int64_t began = now_ns();
  int64_t least = us * 1000;
  errno = 0;
  switch (below(s, 12)) {
    case 0: {
      struct pollfd fd = {idle, POLLIN, 0};
      CHECK(poll(&fd, 1, ms) == 0);
      least = ms * 1000000LL;
      break;
    }
    case 1: {
      struct pollfd fd = {idle, POLLIN, 0};
      CHECK(ppoll(&fd, 1, &ns, NULL) == 0 && ns.tv_nsec == us * 1000);
      break;
    }
    case 2: {
      fd_set set;
      FD_ZERO(&set);
      FD_SET(idle, &set);
      struct timeval left = {0, us};
      CHECK(select(idle + 1, &set, NULL, NULL, &left) == 0);
      CHECK(left.tv_sec == 0 && left.tv_usec == 0 && !FD_ISSET(idle, &set));
      break;
    }
    case 3: {
      fd_set set;
      FD_ZERO(&set);
      FD_SET(idle, &set);
      CHECK(pselect(idle + 1, &set, NULL, NULL, &ns, NULL) == 0);
      break;
    }
    case 4:
    case 5: {
      const int set = epoll_create1(0);
      struct epoll_event event = {.events = EPOLLIN, .data.u64 = 5}, got[4];
      CHECK(set >= 0 && epoll_ctl(set, EPOLL_CTL_ADD, idle, &event) == 0);
      CHECK(epoll_wait(set, got, 4, ms) == 0);
      CHECK(epoll_pwait(set, got, 4, 0, NULL) == 0);
      CHECK(close(set) == 0);
      least = ms * 1000000LL;
      break;
    }
    case 6:
      CHECK(nanosleep(&ns, NULL) == 0);
      break;
    case 7:
      CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &ns, NULL) == 0);
      break;
    case 8:
      CHECK(usleep((useconds_t)us) == 0);
      break;
    case 9: {
      // A time of zero means no limit at all.
      const struct timeval limit = {0, us + 1};
      CHECK(setsockopt(idle, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0);
      CHECK(recv(idle, &byte, 1, 0) == -1 && errno == EAGAIN);
      break;
    }
    case 10: {
      const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
      const struct itimerspec once = {{0, 0}, {0, us * 1000 + 1}};
      uint64_t count = 0;
      CHECK(timer >= 0 && timerfd_settime(timer, 0, &once, NULL) == 0);
      CHECK(read(timer, &count, sizeof(count)) == sizeof(count) && count == 1);
      CHECK(close(timer) == 0);
      break;
    }
    default: {
      struct timespec until;
      clock_gettime(CLOCK_MONOTONIC, &until);
      until.tv_nsec += us * 1000;
      if (until.tv_nsec >= 1000000000) ++until.tv_sec, until.tv_nsec -= 1000000000;
      CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0);
      break;
    }
  }
  const int64_t took = now_ns() - began;
  // SO_RCVTIMEO counts in the kernel's own ticks and may begin in the middle of one.
  if (errno != EAGAIN) CHECK(took >= least);
}

static void old_queues(struct step* s) {
  const int semaphore = semget(IPC_PRIVATE, 1, 0600), queue = msgget(IPC_PRIVATE, 0600);
  if (semaphore < 0 || queue < 0) return;
  const struct timespec ns = {0, (long)below(s, 1500000)};
  struct sembuf down = {0, -1, 0}, up = {0, 1, 0};
  errno = 0;
  CHECK(semtimedop(semaphore, &down, 1, &ns) == -1 && errno == EAGAIN);
  CHECK(semop(semaphore, &up, 1) == 0 && semop(semaphore, &down, 1) == 0);
  struct {
    long type;
    char text[16];
  } message = {3, "a message"}, got;
  memset(&got, 0, sizeof(got));
  CHECK(msgsnd(queue, &message, sizeof(message.text), 0) == 0);
  CHECK(msgrcv(queue, &got, sizeof(got.text), 3, 0) == sizeof(got.text) && strcmp(got.text, message.text) == 0);
  errno = 0;
  CHECK(msgrcv(queue, &got, sizeof(got.text), 0, IPC_NOWAIT) == -1 && errno == ENOMSG);
  CHECK(semctl(semaphore, 0, IPC_RMID) == 0 && msgctl(queue, IPC_RMID, NULL) == 0);
}

// With its signals blocked a program sees no interruption: what interrupts here comes from elsewhere.
void deadlines_operation(struct step* s) {
  int ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  const struct quiet q = be_quiet();
  for (int i = 0; i < 6; ++i) {
    // Whatever ticks is near its next tick.
    if (once_in(s, 2)) burn_us((unsigned)below(s, 300));
    times_out(s, ends[0]);
  }
  if (once_in(s, 4)) old_queues(s);
  be_loud(&q);
  CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
}

// Retries after the program's own signals.
#define AGAIN(result, call)                                       \
  do {                                                            \
    errno = 0;                                                    \
    while (((result) = (call)) == -1 && errno == EINTR) continue; \
  } while (0)

void waits_operation(struct step* s) {
  int ends[2], result;
  CHECK(pipe2(ends, O_CLOEXEC) == 0);
  const int set = epoll_create1(EPOLL_CLOEXEC), counter = eventfd(0, EFD_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = below(s, 1000)}, got[4];
  CHECK(set >= 0 && counter >= 0 && epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) == 0);
  errno = 0;
  CHECK(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) == -1 && errno == EEXIST);
  struct pollfd fds[3] = {{ends[0], POLLIN, 0}, {ends[1], POLLOUT, 0}, {100000, POLLIN, 0}};
  AGAIN(result, poll(fds, 3, -1));
  CHECK(result == 2 && fds[0].revents == 0 && fds[1].revents == POLLOUT && fds[2].revents == POLLNVAL);
  CHECK(write(ends[1], "abc", 3) == 3);
  AGAIN(result, poll(fds, 2, 1000));
  CHECK(result == 2 && fds[0].revents == POLLIN);
  AGAIN(result, epoll_wait(set, got, 4, -1));
  CHECK(result == 1 && got[0].events == EPOLLIN && got[0].data.u64 == event.data.u64);
  fold(s, got[0].data.u64);
  fd_set ready;
  FD_ZERO(&ready);
  FD_SET(ends[0], &ready);
  AGAIN(result, select(ends[0] + 1, &ready, NULL, NULL, NULL));
  CHECK(result == 1 && FD_ISSET(ends[0], &ready));
  char text[8];
  AGAIN(result, (int)read(ends[0], text, sizeof(text)));
  CHECK(result == 3 && memcmp(text, "abc", 3) == 0);
  uint64_t value = between(s, 1, 1000), back = 0;
  CHECK(write(counter, &value, 8) == 8);
  AGAIN(result, (int)read(counter, &back, 8));
  CHECK(result == 8 && back == value);
  CHECK(close(ends[1]) == 0);
  AGAIN(result, poll(fds, 1, -1));
  CHECK(result == 1 && fds[0].revents == POLLHUP);
  AGAIN(result, (int)read(ends[0], text, 1));
  CHECK(result == 0);
  errno = 0;
  CHECK(epoll_wait(ends[0], got, 4, 0) == -1 && errno == EINVAL);
  errno = 0;
  CHECK(epoll_wait(set, got, 0, 0) == -1 && errno == EINVAL);
  errno = 0;
  const struct timespec wrong = {0, 1000000000};
  CHECK(nanosleep(&wrong, NULL) == -1 && errno == EINVAL);
  errno = 0;
  CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &wrong, NULL) == EINVAL && errno == 0);
  errno = 0;
  struct pollfd* volatile nowhere = (struct pollfd*)16;
  CHECK(poll(nowhere, 1, 0) == -1 && errno == EFAULT);
  sleep_us((unsigned)below(s, 1000));
  CHECK(close(ends[0]) == 0 && close(set) == 0 && close(counter) == 0);
}
