// Signals of the program's own that arrive in calls that wait: without SA_RESTART they end all of them, with it those
// that the documentation lists. The profiler's ticks fly meanwhile.
#include <netinet/in.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>

#include "conform.h"

enum { kDelayMs = 12 };

static char buffer[64];
static volatile int alarms;
static void (*volatile in_handler)(void);  // makes a restarted call end

static void on_alarm(int number) {
  const int kept = errno;
  alarms += number == SIGALRM;
  if (in_handler != NULL) in_handler();
  errno = kept;
}

static void handle(int flags) {
  const struct sigaction action = {.sa_handler = on_alarm, .sa_flags = flags};
  EXPECT(sigaction(SIGALRM, &action, NULL) == 0);
}

static void alarm_soon(void) {
  // A tick is due at some moment of the call that follows.
  static int round;
  alarms = 0;
  BURN_NS(900000 + ++round % 10 * 60000);
  const struct itimerval soon = {.it_value.tv_usec = kDelayMs * 1000};
  setitimer(ITIMER_REAL, &soon, NULL);
}

static int ends[2], pair[2], listener, epoll, queue, semaphores, timer;
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static sem_t semaphore;

static long call_read(void) { return read(ends[0], buffer, sized(1)); }
static long call_readv(void) {
  struct iovec part = {buffer, 1};
  return readv(ends[0], &part, 1);
}
static long call_recv(void) { return recv(pair[0], buffer, sized(1), 0); }
static long call_recvmsg(void) {
  struct iovec part = {buffer, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  return recvmsg(pair[0], &message, 0);
}
static long call_recvmmsg(void) {
  struct iovec part = {buffer, 1};
  struct mmsghdr message = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};
  return recvmmsg(pair[0], &message, 1, 0, NULL);
}
static long call_read_socket(void) { return read(pair[0], buffer, sized(1)); }
static long call_accept(void) {
  const int fd = accept(listener, NULL, NULL);
  return fd < 0 ? -1 : (close(fd), 1);
}
static long call_accept4(void) {
  const int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  return fd < 0 ? -1 : (close(fd), 1);
}
static long call_sem_wait(void) { return sem_wait(&semaphore) == 0 ? 1 : -1; }
static long call_open_fifo(void) {
  const int fd = open("fifo", O_RDONLY);
  return fd < 0 ? -1 : (close(fd), 1);
}
static long call_wait(void) { return waitpid(-1, NULL, 0) > 0 ? 1 : -1; }
static long call_flock(void) {
  const int fd = open("lock", O_RDWR);
  const long r = flock(fd, LOCK_EX) == 0 ? 1 : -1;
  return close(fd), r;
}
static long call_read_timer(void) { return read(timer, buffer, sized(8)) == 8 ? 1 : -1; }

static struct pollfd polled;
static long call_poll(void) { return poll(&polled, 1, 1000); }
static long call_ppoll(void) { return ppoll(&polled, 1, &(struct timespec){.tv_sec = 1}, NULL); }
static long call_poll_forever(void) { return poll(&polled, 1, -1); }
static struct timeval select_left;
static long call_select(void) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  select_left = (struct timeval){.tv_sec = 1};
  return select(ends[0] + 1, &set, NULL, NULL, &select_left);
}
static long call_pselect(void) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  return pselect(ends[0] + 1, &set, NULL, NULL, &(struct timespec){.tv_sec = 1}, NULL);
}
static long call_epoll(void) {
  struct epoll_event event;
  return epoll_wait(epoll, &event, 1, 1000);
}
static long call_epoll_pwait(void) {
  struct epoll_event event;
  return epoll_pwait(epoll, &event, 1, -1, NULL);
}
static struct timespec nap_left;
static long call_nanosleep(void) { return nanosleep(&(struct timespec){.tv_sec = 1}, &nap_left); }
static long call_usleep(void) { return usleep(900000); }
static long returned_error(int error) { return error == 0 ? 0 : (errno = error, -1); }
static long call_clock_nanosleep(void) {
  return returned_error(clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_sec = 1}, &nap_left));
}
static long call_absolute(void) {
  const struct timespec at = after_ms(CLOCK_REALTIME, 1000);
  nap_left = (struct timespec){7, 7};
  return returned_error(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &at, &nap_left));
}
static long call_msgrcv(void) { return msgrcv(queue, buffer, 8, 0, 0); }
static long call_semop(void) { return semop(semaphores, &(struct sembuf){.sem_op = -1}, 1); }
static long call_semtimedop(void) {
  return semtimedop(semaphores, &(struct sembuf){.sem_op = -1}, 1, &(struct timespec){.tv_sec = 1});
}
static long call_timed_recv(void) {
  const struct timeval second = {.tv_sec = 1};
  EXPECT(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second) == 0);
  const long r = recv(pair[0], buffer, sized(1), 0);
  const int kept = errno;
  EXPECT(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){0}, sizeof second) == 0);
  return errno = kept, r;
}
static long call_sem_timedwait(void) {
  const struct timespec at = after_ms(CLOCK_REALTIME, 1000);
  return sem_timedwait(&semaphore, &at);
}
static long call_pause(void) { return pause(); }
static long call_sigsuspend(void) {
  sigset_t none;
  sigemptyset(&none);
  return sigsuspend(&none);
}
static long call_sigtimedwait(void) {
  sigset_t other;
  sigemptyset(&other);
  sigaddset(&other, SIGUSR2);
  return sigtimedwait(&other, NULL, &(struct timespec){.tv_sec = 1});
}
static long call_sigwaitinfo(void) {
  sigset_t other;
  sigemptyset(&other);
  sigaddset(&other, SIGUSR2);
  return sigwaitinfo(&other, NULL);
}

static void to_pipe(void) { EXPECT(write(ends[1], "x", 1) == 1); }
static void to_pair(void) { EXPECT(send(pair[1], "x", 1, 0) == 1); }
static void to_listener(void) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
  EXPECT(fd >= 0 && connect(fd, (struct sockaddr*)&address, sizeof address) == 0 && close(fd) == 0);
}
static void to_semaphore(void) { EXPECT(sem_post(&semaphore) == 0); }
static pid_t child;
static void to_child(void) { EXPECT(kill(child, SIGKILL) == 0); }

static void child_that_waits(void) {
  child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  EXPECT(child > 0);
}
static void child_that_locks(void) {
  int held[2];
  EXPECT(pipe(held) == 0);
  child = fork();
  if (child == 0) {
    const int fd = open("lock", O_RDWR);
    if (flock(fd, LOCK_EX) != 0 || write(held[1], "h", 1) != 1) _exit(1);
    for (;;) pause();
  }
  EXPECT(child > 0 && read(held[0], buffer, 1) == 1);
  close(held[0]), close(held[1]);
}
// A FIFO's reader waits for a writer to open it, which a process of its own does as soon as it may.
static void child_that_writes(void) {
  child = fork();
  if (child == 0) {
    raise(SIGSTOP);
    _exit(open("fifo", O_WRONLY) >= 0 ? 0 : 1);
  }
  EXPECT(child > 0 && waitpid(child, NULL, WUNTRACED) == child);
}
static void go_on(void) { EXPECT(kill(child, SIGCONT) == 0); }
static void reap(void) {
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
}
static void to_timer(void) {
  const struct itimerspec in = {.it_value.tv_nsec = 1};
  EXPECT(timerfd_settime(timer, 0, &in, NULL) == 0);
}

static const struct Row {
  const char* name;
  long (*call)(void);
  void (*finish)(
      void);  // what makes it succeed with 1 where it is restarted; null: it is not, whatever SA_RESTART says
  void (*before)(void), (*after)(void);
} rows[] = {
    {"read of a pipe", call_read, to_pipe, NULL, NULL},
    {"readv of a pipe", call_readv, to_pipe, NULL, NULL},
    {"read of a socket", call_read_socket, to_pair, NULL, NULL},
    {"recv", call_recv, to_pair, NULL, NULL},
    {"recvmsg", call_recvmsg, to_pair, NULL, NULL},
    {"recvmmsg", call_recvmmsg, to_pair, NULL, NULL},
    {"accept", call_accept, to_listener, NULL, NULL},
    {"accept4", call_accept4, to_listener, NULL, NULL},
    {"sem_wait", call_sem_wait, to_semaphore, NULL, NULL},
    {"open of a FIFO", call_open_fifo, go_on, child_that_writes, reap},
    {"waitpid", call_wait, to_child, child_that_waits, reap},
    {"flock", call_flock, to_child, child_that_locks, reap},
    {"read of a timerfd", call_read_timer, to_timer, NULL, NULL},
    {"poll", call_poll, NULL, NULL, NULL},
    {"poll without end", call_poll_forever, NULL, NULL, NULL},
    {"ppoll", call_ppoll, NULL, NULL, NULL},
    {"select", call_select, NULL, NULL, NULL},
    {"pselect", call_pselect, NULL, NULL, NULL},
    {"epoll_wait", call_epoll, NULL, NULL, NULL},
    {"epoll_pwait", call_epoll_pwait, NULL, NULL, NULL},
    {"nanosleep", call_nanosleep, NULL, NULL, NULL},
    {"usleep", call_usleep, NULL, NULL, NULL},
    {"clock_nanosleep", call_clock_nanosleep, NULL, NULL, NULL},
    {"clock_nanosleep until", call_absolute, NULL, NULL, NULL},
    {"msgrcv", call_msgrcv, NULL, NULL, NULL},
    {"semop", call_semop, NULL, NULL, NULL},
    {"semtimedop", call_semtimedop, NULL, NULL, NULL},
    {"recv with a timeout", call_timed_recv, NULL, NULL, NULL},
    {"sem_timedwait", call_sem_timedwait, NULL, NULL, NULL},
    {"pause", call_pause, NULL, NULL, NULL},
    {"sigsuspend", call_sigsuspend, NULL, NULL, NULL},
    {"sigtimedwait", call_sigtimedwait, NULL, NULL, NULL},
    {"sigwaitinfo", call_sigwaitinfo, NULL, NULL, NULL},
};

static void run(const struct Row* row, bool restart) {
  char name[100];
  snprintf(name, sizeof name, "%s, SA_RESTART %s", row->name, restart ? "on" : "off");
  handle(restart ? SA_RESTART : 0);
  if (row->before != NULL) row->before();
  in_handler = restart ? row->finish : NULL;
  alarm_soon();
  const int64_t start = now_ns();
  errno = 0;
  const long r = row->call();
  const int error = errno;
  const long took = ms_since(start);
  const bool finishes = restart && row->finish != NULL;
  conform(finishes ? r == 1 : r == -1 && error == EINTR, name, "%ld with errno %d", r, error);
  conform(alarms == 1 && took < 900, name, "%d signals, %ld ms", alarms, took);
  in_handler = NULL;
  if (row->after != NULL) row->after();
}

// What is left is what was asked for without what has passed; it may be more by the time that waking up took.
static void left(void) {
  handle(0);
  alarm_soon();
  int64_t start = now_ns();
  FAILS("nanosleep ends", call_nanosleep(), EINTR);
  int64_t passed = now_ns() - start, rest = nap_left.tv_sec * 1000000000LL + nap_left.tv_nsec;
  HOLDS("nanosleep: what is left", rest > 0 && rest < 1000000000 && passed + rest >= 999000000);
  alarm_soon();
  start = now_ns();
  FAILS("clock_nanosleep ends", call_clock_nanosleep(), EINTR);
  passed = now_ns() - start, rest = nap_left.tv_sec * 1000000000LL + nap_left.tv_nsec;
  HOLDS("clock_nanosleep: what is left", rest > 0 && rest < 1000000000 && passed + rest >= 999000000);
  alarm_soon();
  FAILS("clock_nanosleep until ends", call_absolute(), EINTR);
  HOLDS("clock_nanosleep until leaves nothing", nap_left.tv_sec == 7 && nap_left.tv_nsec == 7);
  alarm_soon();
  start = now_ns();
  FAILS("select ends", call_select(), EINTR);
  passed = now_ns() - start, rest = select_left.tv_sec * 1000000000LL + select_left.tv_usec * 1000LL;
  HOLDS("select: what is left", rest > 0 && rest < 1000000000 && passed + rest >= 996000000);
  alarm_soon();
  IS("sleep: what is left, in whole seconds", sleep(3), 2);
  IS("one signal", alarms, 1);
}

int main(void) {
  burn_beside(1);
  enter_scratch();
  put_file("lock", "");
  EXPECT(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && mkfifo("fifo", 0600) == 0);
  strcpy(address.sun_path, "socket");
  listener = socket(AF_UNIX, SOCK_STREAM, 0);
  EXPECT(bind(listener, (struct sockaddr*)&address, sizeof address) == 0 && listen(listener, 5) == 0);
  polled = (struct pollfd){.fd = ends[0], .events = POLLIN};
  epoll = epoll_create1(0);
  EXPECT(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &(struct epoll_event){.events = EPOLLIN}) == 0);
  queue = msgget(IPC_PRIVATE, 0600);
  semaphores = semget(IPC_PRIVATE, 1, 0600);
  timer = timerfd_create(CLOCK_MONOTONIC, 0);
  EXPECT(queue >= 0 && semaphores >= 0 && timer >= 0 && sem_init(&semaphore, 0, 0) == 0);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    run(&rows[i], false);
    run(&rows[i], true);
  }
  left();
  msgctl(queue, IPC_RMID, NULL);
  semctl(semaphores, 0, IPC_RMID);
  leave_scratch();
  return conform_failed;
}
