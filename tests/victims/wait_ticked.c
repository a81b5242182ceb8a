// Is sent the signal of a profiler in the middle of calls that every handler ends, and checks that they last as long as
// without. Alone, nobody has such a signal: then the calls are made all the same.
#include <arpa/inet.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>

#include "wait_ledger.h"

#define WAIT_MS 300

static int foreign_signal;
static volatile int stop;
static volatile long sent, most;  // signals

// The highest signal with a handler: none of ours.
static int caught_signal(void) {
  char line[200];
  unsigned long long caught = 0;
  FILE* status = fopen("/proc/self/status", "r");
  EXPECT(status != NULL);
  while (fgets(line, sizeof line, status) != NULL) sscanf(line, "SigCgt: %llx", &caught);
  fclose(status);
  for (int s = 64; s >= 34; --s) {
    if (caught >> (s - 1) & 1) return s;
  }
  return 0;
}

static pthread_t main_thread;

// As a timer of the kernel's does it: what a process sends another one has a code of its own. The value is what ticks
// have with them: where the thread's own storage is.
static void send_as_timer(void) {
  siginfo_t info;
  memset(&info, 0, sizeof(info));
  info.si_signo = foreign_signal;
  info.si_code = SI_TIMER;
  info.si_value.sival_ptr = (void*)main_thread;
  EXPECT(syscall(SYS_rt_tgsigqueueinfo, getpid(), getpid(), foreign_signal, &info) == 0);
}

// To the main thread, every 70 ms.
static void* send_signals(void* unused) {
  for (long n = 0; !stop; ++n) {
    sleep_ms(70);
    if (foreign_signal == 0 || stop || n >= most) continue;
    send_as_timer();
    ++sent;
  }
  return unused;
}

static int ends[2], quiet, set, full;
static struct sockaddr_in full_at;
static const struct timespec span = {0, WAIT_MS * 1000000L};
static const struct timeval socket_span = {0, WAIT_MS * 1000L};

static void by_poll(void) {
  struct pollfd p = {.fd = ends[0], .events = POLLIN};
  EXPECT(WAITED(poll, &p, 1, WAIT_MS) == 0);
}
static void by_ppoll(void) {
  struct pollfd p = {.fd = ends[0], .events = POLLIN};
  EXPECT(WAITED(ppoll, &p, 1, &span, NULL) == 0);
}
static void by_select(void) {
  struct timeval t = {0, WAIT_MS * 1000};
  EXPECT(WAITED(select, 0, NULL, NULL, NULL, &t) == 0);
}
static void by_pselect(void) { EXPECT(WAITED(pselect, 0, NULL, NULL, NULL, &span, NULL) == 0); }
static void by_epoll_wait(void) {
  struct epoll_event e;
  EXPECT(WAITED(epoll_wait, set, &e, 1, WAIT_MS) == 0);
}
static void by_epoll_pwait(void) {
  struct epoll_event e;
  EXPECT(WAITED(epoll_pwait, set, &e, 1, WAIT_MS, NULL) == 0);
}
static void by_futex(void) {
  static int word;
  EXPECT(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &span, NULL, 0) == -1 && errno == ETIMEDOUT);
}
static void by_nanosleep_number(void) {
  struct timespec rest = {7, 7};
  EXPECT(syscall(SYS_nanosleep, &span, &rest) == 0);
}
static void by_ppoll_number(void) {
  struct timespec t = span;
  EXPECT(syscall(SYS_ppoll, NULL, 0L, &t, NULL, 8L) == 0);
}
static void by_epoll_number(void) {
  struct epoll_event e;
  EXPECT(syscall(SYS_epoll_pwait, set, &e, 1, WAIT_MS, NULL, 8L) == 0);
}

static void by_recv(void) {
  char c;
  EXPECT(MOVED(recv, quiet, &c, 1, 0) == -1 && errno == EAGAIN);
}
static void by_recvmsg(void) {
  char c;
  struct iovec part = {&c, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  EXPECT(MOVED(recvmsg, quiet, &message, 0) == -1 && errno == EAGAIN);
}
static void by_accept(void) { EXPECT(WAITED(accept, full, NULL, NULL) == -1 && errno == EAGAIN); }

static int new_client(int with_timeout) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  EXPECT(fd >= 0);
  if (with_timeout) EXPECT(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &socket_span, sizeof socket_span) == 0);
  return fd;
}

static void listen_to_few(void) {
  socklen_t bytes = sizeof full_at;
  full = socket(AF_INET, SOCK_STREAM, 0);
  full_at.sin_family = AF_INET;
  full_at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT(bind(full, (struct sockaddr*)&full_at, sizeof full_at) == 0 && listen(full, 0) == 0);
  EXPECT(getsockname(full, (struct sockaddr*)&full_at, &bytes) == 0);
  EXPECT(setsockopt(full, SOL_SOCKET, SO_RCVTIMEO, &socket_span, sizeof socket_span) == 0);
}

static int connect_full(int fd) { return (int)WAITED(connect, fd, (struct sockaddr*)&full_at, sizeof full_at); }

// Nobody answers: ends by the socket's timeout, with its error.
static void by_connect(void) {
  const int fd = new_client(1);
  EXPECT(connect_full(fd) == -1 && errno == EINPROGRESS);
  close(fd);
}

static void* accept_late(void* unused) {
  sleep_ms(400);
  for (int i = 0; i < 2; ++i) close((int)WAITED(accept, full, NULL, NULL));
  return unused;
}

static void by_connect_at_last(void) {
  pthread_t other;
  const struct timeval long_span = {20, 0};
  const int fd = new_client(1);
  EXPECT(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &long_span, sizeof long_span) == 0);
  EXPECT(pthread_create(&other, NULL, accept_late, NULL) == 0);
  EXPECT(connect_full(fd) == 0);
  EXPECT(send(fd, "x", 1, 0) == 1);
  EXPECT(connect_full(fd) == -1 && errno == EISCONN);
  pthread_join(other, NULL);
  close(fd);
}

static volatile int handled;
static volatile long sleeping;  // the round in which the main thread sleeps, from 1 on; 0: it does not
static void on_usr1(int number) {
  (void)number;
  ++handled;
}

// Both signals at once, a little after the main thread went to sleep. Who misses the one of the host's is woken late.
static void* send_both(void* unused) {
  sigset_t set_of_usr1;
  sigemptyset(&set_of_usr1);
  sigaddset(&set_of_usr1, SIGUSR1);
  EXPECT(pthread_sigmask(SIG_BLOCK, &set_of_usr1, NULL) == 0);
  for (long round = 1; !stop; ++round) {
    while (sleeping != round && !stop) sched_yield();
    sleep_ms(2);
    if (stop) break;
    EXPECT(kill(getpid(), SIGUSR1) == 0);  // signals of a process come behind those of its threads
    if (foreign_signal != 0) send_as_timer();
    ++sent;
    for (int ms = 0; sleeping == round && ms < 500; ++ms) sleep_ms(1);
    if (sleeping == round) EXPECT(write(ends[1], "x", 1) == 1);
  }
  return unused;
}

// The host's own signal ends its calls, also where ours comes with it.
static void end_together(long rounds) {
  const struct sigaction action = {.sa_handler = on_usr1};
  pthread_t sender;
  cpu_set_t one;
  EXPECT(sched_getaffinity(0, sizeof one, &one) == 0);
  for (int cpu = 0, found = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &one) && found++ > 0) CPU_CLR(cpu, &one);
  }
  EXPECT(sched_setaffinity(0, sizeof one, &one) == 0);  // so that both signals wait before either is delivered
  EXPECT(sigaction(SIGUSR1, &action, NULL) == 0 && pipe(ends) == 0);
  EXPECT(pthread_create(&sender, NULL, send_both, NULL) == 0);
  for (long round = 1; round <= rounds; ++round) {
    struct pollfd p = {.fd = ends[0], .events = POLLIN};
    char c;
    const int before = handled;
    sleeping = round;
    const long r = round % 2 == 0 ? poll(&p, 1, 10000) : read(ends[0], &c, 1);
    const int error = errno;
    sleeping = 0;
    errno = error;
    EXPECT(r == -1 && errno == EINTR);
    EXPECT(handled == before + 1);
  }
  stop = 1;
  pthread_join(sender, NULL);
  fact("together", sent);
}

int main(int argc, char** argv) {
  main_thread = pthread_self();
  static void (*const ways[])(void) = {by_poll,         by_ppoll,        by_select, by_pselect,
                                       by_epoll_wait,   by_epoll_pwait,  by_futex,  by_nanosleep_number,
                                       by_ppoll_number, by_epoll_number, by_recv,   by_recvmsg,
                                       by_accept,       by_connect};
  foreign_signal = caught_signal();
  if (argc > 1) {
    end_together(argument(argc, argv, 1, 0));
    return 0;
  }
  int sockets[2];
  EXPECT(pipe(ends) == 0);
  set = epoll_create1(0);
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  quiet = sockets[0];
  EXPECT(setsockopt(quiet, SOL_SOCKET, SO_RCVTIMEO, &socket_span, sizeof socket_span) == 0);
  listen_to_few();
  pthread_t sender;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
    int first = -1;
    if (ways[i] == by_connect) {  // there is room for one
      first = new_client(1);
      EXPECT(connect_full(first) == 0);
    }
    // The timeout of a socket's own begins anew.
    most = ways[i] == by_recv || ways[i] == by_recvmsg || ways[i] == by_accept || ways[i] == by_connect ? 1 : 1000;
    stop = 0;
    EXPECT(pthread_create(&sender, NULL, send_signals, NULL) == 0);
    const int64_t start = now_ns();
    ways[i]();
    const int64_t waited = now_ns() - start;
    stop = 1;
    pthread_join(sender, NULL);
    EXPECT(waited >= WAIT_MS * 1000000L - 1000000L);
    EXPECT(waited < WAIT_MS * 1000000L + 600000000L);
  }
  most = 1000;
  stop = 0;
  EXPECT(pthread_create(&sender, NULL, send_signals, NULL) == 0);
  by_connect_at_last();
  stop = 1;
  pthread_join(sender, NULL);
  print_ledger();
  fact("signals", sent);
  return 0;
}
