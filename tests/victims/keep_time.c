// Sleeps in all the ways in which one can, burning CPU time before each, and checks that no sleep is cut short.
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <threads.h>

#include "victim.h"

#define SLEEP_MS 15

static sem_t never;
static int epoll_fd, quiet_fd, quiet_socket, semaphores;

static struct timespec in_time(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  t.tv_nsec += SLEEP_MS * 1000000L;
  if (t.tv_nsec >= 1000000000L) {
    t.tv_nsec -= 1000000000L;
    ++t.tv_sec;
  }
  return t;
}

static const struct timespec span = {0, SLEEP_MS * 1000000L};

static void by_poll(void) {
  struct pollfd p = {.fd = quiet_fd, .events = POLLIN};
  EXPECT(poll(&p, 1, SLEEP_MS) == 0);
}
static void by_ppoll(void) {
  struct pollfd p = {.fd = quiet_fd, .events = POLLIN};
  struct timespec t = span;
  EXPECT(ppoll(&p, 1, &t, NULL) == 0);
  EXPECT(t.tv_nsec == span.tv_nsec);  // libc's ppoll leaves the timeout alone
}
static void by_epoll(void) {
  struct epoll_event e;
  EXPECT(epoll_wait(epoll_fd, &e, 1, SLEEP_MS) == 0);
}
static void by_epoll_pwait(void) {
  struct epoll_event e;
  EXPECT(epoll_pwait(epoll_fd, &e, 1, SLEEP_MS, NULL) == 0);
}
static void by_select(void) {
  struct timeval t = {0, SLEEP_MS * 1000};
  fd_set set;
  FD_ZERO(&set);
  FD_SET(quiet_fd, &set);
  EXPECT(select(quiet_fd + 1, &set, NULL, NULL, &t) == 0);
  EXPECT(t.tv_sec == 0 && t.tv_usec == 0);  // Linux leaves what remains
}
static void by_pselect(void) { EXPECT(pselect(0, NULL, NULL, NULL, &span, NULL) == 0); }
static void by_nanosleep(void) {
  struct timespec rest = {77, 77};
  EXPECT(nanosleep(&span, &rest) == 0);
}
static void by_clock_nanosleep(void) { EXPECT(clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL) == 0); }
static void by_clock_nanosleep_absolute(void) {
  const struct timespec t = in_time(CLOCK_MONOTONIC);
  EXPECT(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == 0);
}
static void by_usleep(void) { EXPECT(usleep(SLEEP_MS * 1000) == 0); }
static void by_sem_timedwait(void) {
  const struct timespec t = in_time(CLOCK_REALTIME);
  EXPECT(sem_timedwait(&never, &t) == -1 && errno == ETIMEDOUT);
}
static void by_sem_clockwait(void) {
  const struct timespec t = in_time(CLOCK_MONOTONIC);
  EXPECT(sem_clockwait(&never, CLOCK_MONOTONIC, &t) == -1 && errno == ETIMEDOUT);
}
static void by_sigtimedwait(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  EXPECT(sigtimedwait(&set, NULL, &span) == -1 && errno == EAGAIN);
}
static void by_thrd_sleep(void) { EXPECT(thrd_sleep(&span, NULL) == 0); }

static void by_recv(void) {
  char c;
  EXPECT(recv(quiet_socket, &c, 1, 0) == -1 && errno == EAGAIN);  // SO_RCVTIMEO
}
static void by_semtimedop(void) {
  struct sembuf take = {0, -1, 0};
  EXPECT(semtimedop(semaphores, &take, 1, &span) == -1 && errno == EAGAIN);
}
static void by_cond_timedwait(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
  const struct timespec t = in_time(CLOCK_REALTIME);
  EXPECT(pthread_mutex_lock(&mutex) == 0);
  EXPECT(pthread_cond_timedwait(&cond, &mutex, &t) == ETIMEDOUT);
  EXPECT(pthread_mutex_unlock(&mutex) == 0);
}

static volatile int stop;
static void* burn_beside(void* unused) {
  while (!stop) BURN_NS(1000000);
  return unused;
}

int main(int argc, char** argv) {
  static void (*const ways[])(void) = {by_poll,         by_ppoll,           by_epoll,
                                       by_epoll_pwait,  by_select,          by_pselect,
                                       by_nanosleep,    by_clock_nanosleep, by_clock_nanosleep_absolute,
                                       by_usleep,       by_sem_timedwait,   by_sem_clockwait,
                                       by_sigtimedwait, by_thrd_sleep,      by_recv,
                                       by_semtimedop,   by_cond_timedwait};
  const long rounds = argument(argc, argv, 1, 20);
  int pipe_ends[2];
  EXPECT(pipe(pipe_ends) == 0);
  quiet_fd = pipe_ends[0];
  epoll_fd = epoll_create1(0);
  int sockets[2];
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  quiet_socket = sockets[0];
  const struct timeval timeout = {0, SLEEP_MS * 1000};
  EXPECT(setsockopt(quiet_socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) == 0);
  semaphores = semget(IPC_PRIVATE, 1, 0600);
  EXPECT(semaphores >= 0);
  EXPECT(sem_init(&never, 0, 0) == 0);
  pthread_t beside;
  EXPECT(pthread_create(&beside, NULL, burn_beside, NULL) == 0);
  for (long round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
      BURN_NS(700000 + round * 37000);  // not a multiple of any period
      const int64_t start = now_ns();
      ways[i]();
      const int64_t slept = now_ns() - start;
      // Timers of the kernel may be a tick of the coarse clock early in the absolute calls, never more.
      EXPECT(slept >= SLEEP_MS * 1000000L - 1000000L);
      EXPECT(slept < SLEEP_MS * 1000000L + 500000000L);
    }
  }
  stop = 1;
  pthread_join(beside, NULL);
  EXPECT(semctl(semaphores, 0, IPC_RMID) == 0);
  fact("rounds", rounds);
  return 0;
}
