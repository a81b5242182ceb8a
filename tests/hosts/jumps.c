// Handlers that jump out of calls that block. Only calls that are safe in a signal handler are left in this way.
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hosts/host.h"

static _Thread_local sigjmp_buf way_out;
static _Thread_local volatile sig_atomic_t armed;

static void on_jump(int number) {
  (void)number;
  if (!armed) return;
  armed = 0;
  siglongjmp(way_out, 1);
}

void install_jumps(void) {
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_handler = on_jump;
  action.sa_flags = SA_ONSTACK;
  CHECK(sigaction(SIGNAL_JUMP, &action, NULL) == 0);
}

struct places {
  int pipe[2], full[2], socket[2];
  char fifo[64];
  timer_t timer;
};

// Never comes back by itself.
static void block_for_ever(const struct places* p, unsigned kind, pid_t child) {
  char byte = 0;
  for (;;) {
    switch (kind) {
      case 0:
        (void)!read(p->pipe[0], &byte, 1);
        break;
      case 1: {
        const struct timespec long_ns = {100, 0};
        nanosleep(&long_ns, NULL);
        break;
      }
      case 2: {
        struct pollfd fd = {p->pipe[0], POLLIN, 0};
        poll(&fd, 1, 100000);
        break;
      }
      case 3: {
        fd_set set;
        FD_ZERO(&set);
        FD_SET(p->pipe[0], &set);
        select(p->pipe[0] + 1, &set, NULL, NULL, NULL);
        break;
      }
      case 4:
        waitpid(child, NULL, 0);
        break;
      case 5: {
        const int fd = open(p->fifo, O_RDONLY);
        if (fd >= 0) close(fd);
        break;
      }
      case 6:
        (void)!write(p->full[1], &byte, 1);
        break;
      case 7:
        recv(p->socket[0], &byte, 1, 0);
        break;
      case 8:
        pause();
        break;
      case 9:
        for (int i = 0; i < 1000; ++i) __asm__ volatile("");
        break;
      default:
        now_ns();
        break;
    }
  }
}

enum { kinds = 11 };

static void one_jump(struct step* s, const struct places* p, unsigned kind, pid_t child) {
  const struct itimerspec soon = {{0, 0}, {0, 1 + (long)below(s, 900000)}};
  if (sigsetjmp(way_out, 1) == 0) {
    armed = 1;
    CHECK(timer_settime(p->timer, 0, &soon, NULL) == 0);
    block_for_ever(p, kind, child);
  }
  CHECK(armed == 0);
}

static pid_t start_sleeper(void) {
  const struct quiet q = be_quiet();
  const pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    signal(SIGALRM, SIG_DFL);
    alarm(60);
    be_loud(&q);
    for (;;) pause();
  }
  be_loud(&q);
  return pid;
}

void jump_operation(struct step* s) {
  struct places p;
  CHECK(pipe(p.pipe) == 0 && pipe2(p.full, O_NONBLOCK) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, p.socket) == 0);
  char filler[4096];
  memset(filler, 0, sizeof(filler));
  while (write(p.full[1], filler, sizeof(filler)) > 0) continue;
  CHECK(fcntl(p.full[1], F_SETFL, 0) == 0);
  strcpy(p.fifo, "/tmp/prof-host-fifo-XXXXXX");
  const int fd = mkstemp(p.fifo);
  CHECK(fd >= 0 && close(fd) == 0 && unlink(p.fifo) == 0 && mkfifo(p.fifo, 0600) == 0);
  struct sigevent event;
  memset(&event, 0, sizeof(event));
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGNAL_JUMP;
  event._sigev_un._tid = own_tid();
  while (timer_create(CLOCK_MONOTONIC, &event, &p.timer) != 0) CHECK(errno == EAGAIN);
  pid_t child = -1;
  for (int i = 0; i < 8; ++i) {
    const unsigned kind = (unsigned)below(s, kinds);
    if (kind == 4 && child < 0) child = start_sleeper();
    one_jump(s, &p, kind, child);
    free(malloc(between(s, 1, 3000)));
    if (once_in(s, 4)) burn_us(200);
    fold(s, kind);
  }
  CHECK(timer_delete(p.timer) == 0 && unlink(p.fifo) == 0);
  if (child > 0) {
    CHECK(kill(child, SIGKILL) == 0);
    CHECK(reap(child) == SIGKILL);
  }
  for (int i = 0; i < 2; ++i) CHECK(close(p.pipe[i]) == 0 && close(p.full[i]) == 0 && close(p.socket[i]) == 0);
}
