// Waiting for signals, timeouts that run out, handlers that wait themselves, and jumps out of calls that wait.
#include <poll.h>
#include <semaphore.h>
#include <setjmp.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include "conform.h"

static char buffer[64];

static sigset_t only(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  return set;
}

static void alarm_in_us(long first, long every) {
  const struct itimerval at = {.it_value.tv_usec = first, .it_interval.tv_usec = every};
  EXPECT(setitimer(ITIMER_REAL, &at, NULL) == 0);
}

static void handle(int number, void (*handler)(int), int flags) {
  const struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  EXPECT(sigaction(number, &action, NULL) == 0);
}

// Blocked signals, taken one by one.
static void taking(void) {
  sigset_t set = only(SIGUSR1), old, pending;
  sigaddset(&set, SIGRTMAX);
  EXPECT(pthread_sigmask(SIG_BLOCK, &set, &old) == 0);
  siginfo_t info;
  int number = 0;
  FAILS("sigtimedwait for none", sigtimedwait(&set, &info, &(struct timespec){0}), EAGAIN);
  const int64_t start = now_ns();
  FAILS("sigtimedwait until its timeout", sigtimedwait(&set, &info, &(struct timespec){.tv_nsec = 20000000}), EAGAIN);
  HOLDS("not before it", now_ns() - start >= 20000000);
  FAILS("sigtimedwait with a bad timeout", sigtimedwait(&set, &info, &(struct timespec){.tv_nsec = -1}), EINVAL);
  FAILS("sigtimedwait with a timeout at a bad address", sigtimedwait(&set, &info, nowhere), EFAULT);
  FAILS("sigtimedwait for a set at a bad address", sigtimedwait(nowhere, &info, &(struct timespec){0}), EFAULT);
  FAILS("sigwaitinfo for a set at a bad address", sigwaitinfo(nowhere, &info), EFAULT);
  IS("sigwait for a set at a bad address", sigwait(nowhere, &number), EFAULT);
  FAILS("signalfd of a set at a bad address", signalfd(-1, nowhere, 0), EFAULT);
  raise(SIGUSR1), raise(SIGUSR1);
  EXPECT(sigpending(&pending) == 0);
  IS("sigpending", sigismember(&pending, SIGUSR1), 1);
  GIVES("sigwaitinfo", sigwaitinfo(&set, &info), SIGUSR1);
  HOLDS("its sender", info.si_pid == getpid() && info.si_code == SI_USER);
  FAILS("standard signals do not queue", sigtimedwait(&set, NULL, &(struct timespec){0}), EAGAIN);
  for (int i = 1; i <= 3; ++i) EXPECT(sigqueue(getpid(), SIGRTMAX, (union sigval){.sival_int = i}) == 0);
  IS("sigwait", sigwait(&set, &number), 0);
  IS("its signal", number, SIGRTMAX);
  GIVES("real-time signals queue", sigtimedwait(&set, &info, &(struct timespec){.tv_sec = 1}), SIGRTMAX);
  IS("in their order", info.si_value.sival_int, 2);
  const int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  struct signalfd_siginfo from_fd;
  FAILS("too little for a signalfd", read(fd, &from_fd, sized(10)), EINVAL);
  GIVES("read a signalfd", read(fd, &from_fd, sized(sizeof from_fd)), sizeof from_fd);
  HOLDS("its signal", from_fd.ssi_signo == (uint32_t)SIGRTMAX && from_fd.ssi_int == 3);
  FAILS("read a signalfd again", read(fd, &from_fd, sizeof from_fd), EAGAIN);
  alarm_in_us(10000, 0);
  sigset_t alarm_set = only(SIGALRM);
  EXPECT(pthread_sigmask(SIG_BLOCK, &alarm_set, NULL) == 0 && signalfd(fd, &alarm_set, 0) == fd);
  struct pollfd polled = {.fd = fd, .events = POLLIN};
  GIVES("poll a signalfd", poll(&polled, 1, 2000), 1);
  GIVES("read what was polled", read(fd, &from_fd, sizeof from_fd), sizeof from_fd);
  EXPECT(pthread_sigmask(SIG_SETMASK, &old, NULL) == 0 && close(fd) == 0);
}

static volatile int handled;
static void count(int number) {
  (void)number;
  ++handled;
}

// The mask of these calls is in force while they wait, and not a moment longer.
static void masks(void) {
  handle(SIGALRM, count, SA_RESTART);
  sigset_t set = only(SIGALRM), old, none, after;
  sigemptyset(&none);
  EXPECT(pthread_sigmask(SIG_BLOCK, &set, &old) == 0);
  const struct timespec second = {.tv_sec = 1};
  int ends[2];
  EXPECT(pipe(ends) == 0);
  struct pollfd polled = {.fd = ends[0], .events = POLLIN};
  const int epoll = epoll_create1(0);
  handled = 0;
  alarm_in_us(5000, 0);
  poll(&polled, 1, 10);
  IS("a blocked signal stays away", handled, 0);
  FAILS("ppoll lets it in", ppoll(&polled, 1, &second, &none), EINTR);
  IS("its handler ran", handled, 1);
  alarm_in_us(5000, 0);
  FAILS("pselect lets it in", pselect(0, NULL, NULL, NULL, &second, &none), EINTR);
  alarm_in_us(5000, 0);
  struct epoll_event event;
  FAILS("epoll_pwait lets it in", epoll_pwait(epoll, &event, 1, 1000, &none), EINTR);
  alarm_in_us(5000, 0);
  FAILS("epoll_pwait2 lets it in", epoll_pwait2(epoll, &event, 1, &second, &none), EINTR);
  alarm_in_us(5000, 0);
  FAILS("sigsuspend lets it in", sigsuspend(&none), EINTR);
  IS("their handlers ran", handled, 5);
  EXPECT(pthread_sigmask(SIG_SETMASK, NULL, &after) == 0);
  IS("blocked again", sigismember(&after, SIGALRM), 1);
  EXPECT(pthread_sigmask(SIG_SETMASK, &old, NULL) == 0);
  close(ends[0]), close(ends[1]), close(epoll);
}

// Timeouts run their time, and are not cut by ticks.
static void timeouts(void) {
  int ends[2], pair[2];
  EXPECT(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  struct pollfd polled = {.fd = ends[0], .events = POLLIN};
  const int epoll = epoll_create1(0);
  struct epoll_event event;
  sem_t semaphore;
  EXPECT(sem_init(&semaphore, 0, 0) == 0);
  for (int round = 0; round < 6; ++round) {
    const long ms = 11 + round;
    const struct timespec span = span_ms(ms);
    struct timeval value = {.tv_usec = ms * 1000};
    struct timespec until = after_ms(CLOCK_REALTIME, ms);
    char name[40];
#define TAKES(what, call, result, error)                                                                     \
  do {                                                                                                       \
    BURN_NS(900000 + round * 70000);                                                                         \
    until = after_ms(CLOCK_REALTIME, ms);                                                                    \
    const int64_t start = now_ns();                                                                          \
    errno = 0;                                                                                               \
    const long takes_r = (call);                                                                             \
    const int takes_errno = errno;                                                                           \
    const int64_t took = now_ns() - start;                                                                   \
    snprintf(name, sizeof name, "%s, round %d", what, round);                                                \
    conform(takes_r == (result) && (takes_r == 0 || takes_errno == (error)), name, "%ld, errno %d", takes_r, \
            takes_errno);                                                                                    \
    conform(took >= ms * 1000000 - 200000, name, "after %ld us", (long)(took / 1000));                       \
  } while (0)
    TAKES("poll", poll(&polled, 1, (int)ms), 0, 0);
    TAKES("ppoll", ppoll(&polled, 1, &span, NULL), 0, 0);
    TAKES("select", select(0, NULL, NULL, NULL, &value), 0, 0);
    TAKES("pselect", pselect(0, NULL, NULL, NULL, &span, NULL), 0, 0);
    TAKES("epoll_wait", epoll_wait(epoll, &event, 1, (int)ms), 0, 0);
    TAKES("epoll_pwait2", epoll_pwait2(epoll, &event, 1, &span, NULL), 0, 0);
    TAKES("nanosleep", nanosleep(&span, NULL), 0, 0);
    TAKES("usleep", usleep((useconds_t)ms * 1000), 0, 0);
    TAKES("clock_nanosleep", clock_nanosleep(CLOCK_BOOTTIME, 0, &span, NULL), 0, 0);
    TAKES("clock_nanosleep until", clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL), 0, 0);
    TAKES("sem_timedwait", sem_timedwait(&semaphore, &until), -1, ETIMEDOUT);
    value = (struct timeval){.tv_usec = ms * 1000};
    EXPECT(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &value, sizeof value) == 0);
    TAKES("recv", recv(pair[0], buffer, sized(1), 0), -1, EAGAIN);
  }
  IS("clock_nanosleep returns its error", clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = -1}, NULL),
     EINVAL);
  IS("clock_nanosleep on no clock", clock_nanosleep(99, 0, &(struct timespec){0}, NULL), EINVAL);
  FAILS("nanosleep of a bad time", nanosleep(&(struct timespec){.tv_nsec = 1000000000}, NULL), EINVAL);
  FAILS("nanosleep at a bad address", nanosleep(nowhere, NULL), EFAULT);
  IS("clock_nanosleep at a bad address", clock_nanosleep(CLOCK_MONOTONIC, 0, nowhere, NULL), EFAULT);
  FAILS("poll at a bad address", poll(nowhere, 1, 0), EFAULT);
  FAILS("select of a bad number", select(-1, NULL, NULL, NULL, &(struct timeval){0}), EINVAL);
  FAILS("epoll_wait for none", epoll_wait(epoll, &event, 0, 0), EINVAL);
  FAILS("epoll_wait on a pipe", epoll_wait(ends[0], &event, 1, 0), EINVAL);
  FAILS("epoll_wait on a closed one", epoll_wait(200, &event, 1, 0), EBADF);
  struct pollfd closed = {.fd = 200, .events = POLLIN};
  GIVES("poll a closed one", poll(&closed, 1, -1), 1);
  IS("POLLNVAL", closed.revents, POLLNVAL);
  close(ends[0]), close(ends[1]), close(pair[0]), close(pair[1]), close(epoll);
}

static int inner[2];
static volatile long inner_good, inner_bad;
// All of these may be called in a handler.
static void call_much(int number) {
  (void)number;
  const int kept = errno;
  char byte = 'h';
  struct pollfd polled = {.fd = inner[0], .events = POLLIN};
  const bool good = write(inner[1], &byte, 1) == 1 && poll(&polled, 1, 1000) == 1 && read(inner[0], &byte, 1) == 1 &&
                    nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL) == 0 && read(-1, &byte, 1) == -1 &&
                    errno == EBADF && access("/none", F_OK) == -1 && errno == ENOENT && getppid() > 0 &&
                    close(dup(inner[0])) == 0;
  if (good)
    ++inner_good;
  else
    ++inner_bad;
  errno = kept;
}

// The same functions in main line and handler, thousands of times, and no byte or errno goes astray.
static void handlers_that_wait(void) {
  EXPECT(pipe(inner) == 0);
  int ends[2];
  EXPECT(pipe(ends) == 0);
  handle(SIGALRM, call_much, SA_RESTART);
  alarm_in_us(300, 300);
  long wrong = 0;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const int64_t start = now_ns();
  for (int i = 0; now_ns() - start < 250000000; ++i) {
    unsigned char out = (unsigned char)i, in = 0;
    wrong += write(ends[1], &out, 1) != 1 || read(ends[0], &in, 1) != 1 || in != out;
    wrong += read(-1, &in, 1) != -1 || errno != EBADF;
    wrong += open("/none/none", O_RDONLY) != -1 || errno != ENOENT;
    wrong += pthread_mutex_lock(&mutex) != 0 || pthread_mutex_unlock(&mutex) != 0;
    void* block = malloc((size_t)(i % 5000));
    wrong += block == NULL;
    free(block);
  }
  alarm_in_us(0, 0);
  IS("wrong in main line", wrong, 0);
  IS("wrong in handlers", inner_bad, 0);
  HOLDS("there were handlers", inner_good > 20);
  close(ends[0]), close(ends[1]), close(inner[0]), close(inner[1]);
}

static sigjmp_buf out;
static void jump(int number) { siglongjmp(out, number); }

// A timeout by alarm and jump, as old programs make it: the call is left for good.
static void jumps(void) {
  int ends[2];
  EXPECT(pipe(ends) == 0);
  handle(SIGALRM, jump, 0);
  volatile int jumped = 0;
  for (volatile int i = 0; i < 60; ++i) {
    if (sigsetjmp(out, 1) == 0) {
      alarm_in_us(1000 + i % 7 * 300, 0);
      switch (i % 6) {
        case 0:
          (void)!read(ends[0], buffer, 1);
          break;
        case 1:
          poll(NULL, 0, -1);
          break;
        case 2:
          pause();
          break;
        case 3:
          nanosleep(&(struct timespec){.tv_sec = 10}, NULL);
          break;
        case 4:
          sleep(10);
          break;
        case 5: {
          // Not in a wait at all, perhaps.
          for (;;) (void)!write(ends[1], "", 0);
        }
      }
    } else {
      ++jumped;
    }
  }
  IS("jumps", jumped, 60);
  GIVES("write after jumps", write(ends[1], "abc", 3), 3);
  GIVES("read after jumps", read(ends[0], buffer, sized(10)), 3);
  FAILS("errno after jumps", read(-1, buffer, 1), EBADF);
  IS("nanosleep after jumps", nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL), 0);
  void* block = malloc(100);
  HOLDS("malloc after jumps", block != NULL);
  free(block);
  sigset_t mask;
  EXPECT(pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0);
  IS("the mask after jumps", sigismember(&mask, SIGALRM), 0);
  handle(SIGALRM, SIG_IGN, 0);
  alarm_in_us(1000, 0);
  IS("an ignored signal does not wake", nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL), 0);
  close(ends[0]), close(ends[1]);
}

int main(void) {
  burn_beside(1);
  taking();
  masks();
  timeouts();
  handlers_that_wait();
  jumps();
  return conform_failed;
}
