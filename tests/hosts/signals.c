// Handlers of the program's own, storms of signals between threads, queues of signals, timers, masks.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/hosts/host.h"

static _Thread_local volatile unsigned storms;
static _Thread_local volatile unsigned queued, queued_wrong;
static _Thread_local volatile int queued_last;
static _Thread_local volatile unsigned ticks;
static _Atomic unsigned alarms[3];

static void some_safe_work(void) {
  const int error = errno;
  char bytes[256], copy[256];
  switch (++storms % 5) {
    case 0: {
      ucontext_t context;
      if (getcontext(&context) != 0) _exit(7);
      break;
    }
    case 1: {
      sigset_t set;
      if (sigpending(&set) != 0) _exit(7);
      break;
    }
    case 2:
      memset(bytes, (int)storms, sizeof(bytes));
      memcpy(copy, bytes, sizeof(copy));
      break;
    case 3:
      close(-1);
      break;
    default:
      now_ns();
      break;
  }
  errno = error;
}

static void on_storm(int number) {
  (void)number;
  some_safe_work();
}
static void on_storm_info(int number, siginfo_t* info, void* context) {
  (void)number;
  if (info->si_pid != getpid() || context == NULL) _exit(7);
  some_safe_work();
}
// Values come in the order in which they were sent.
static void on_queued(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)context;
  if (info->si_code != SI_QUEUE || info->si_value.sival_int != queued_last + 1) ++queued_wrong;
  queued_last = info->si_value.sival_int;
  ++queued;
}
static void on_tick(int number) {
  (void)number;
  ++ticks;
}
static void on_alarm(int number) { ++alarms[number == SIGALRM ? 0 : number == SIGVTALRM ? 1 : 2]; }

static void set_handler(int number, void (*simple)(int), void (*full)(int, siginfo_t*, void*), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  if (full) {
    action.sa_sigaction = full;
  } else {
    action.sa_handler = simple;
  }
  action.sa_flags = flags | (full ? SA_SIGINFO : 0);
  CHECK(sigaction(number, &action, NULL) == 0);
}

void install_handlers(void) {
  set_handler(SIGNAL_STORM, on_storm, NULL, SA_RESTART);
  set_handler(SIGNAL_STORM_2, NULL, on_storm_info, SA_RESTART | SA_ONSTACK);
  set_handler(SIGNAL_QUEUED, NULL, on_queued, SA_ONSTACK);
  set_handler(SIGNAL_TIMER, on_tick, NULL, SA_RESTART | SA_ONSTACK);
  set_handler(SIGALRM, on_alarm, NULL, SA_RESTART);
  set_handler(SIGVTALRM, on_alarm, NULL, SA_RESTART | SA_ONSTACK);
  set_handler(SIGPROF, on_alarm, NULL, SA_RESTART);
}

// Other handlers and flags for the storm; what was there before is one of them. No other signal has a handler.
void actions_operation(struct step* s) {
  for (int i = 0; i < 8; ++i) {
    const int flags =
        (once_in(s, 2) ? SA_RESTART : 0) | (once_in(s, 2) ? SA_ONSTACK : 0) | (once_in(s, 4) ? SA_NODEFER : 0);
    const int number = once_in(s, 2) ? SIGNAL_STORM : SIGNAL_STORM_2;
    struct sigaction before;
    memset(&before, 0, sizeof(before));
    if (once_in(s, 2)) {
      set_handler(number, on_storm, NULL, flags);
    } else {
      set_handler(number, NULL, on_storm_info, flags);
    }
    CHECK(sigaction(number, NULL, &before) == 0);
    CHECK(before.sa_flags & SA_SIGINFO ? before.sa_sigaction == on_storm_info : before.sa_handler == on_storm);
  }
  for (int number = SIGNAL_RESUME + 1; number <= SIGRTMAX; ++number) {
    struct sigaction now;
    CHECK(sigaction(number, NULL, &now) == 0);
    CHECK(now.sa_handler == SIG_DFL);
  }
  errno = 0;
  CHECK(sigaction(SIGKILL, &(struct sigaction){.sa_handler = SIG_IGN}, NULL) == -1 && errno == EINVAL);
  errno = 0;
  CHECK(sigaction(SIGRTMAX + 1, NULL, NULL) == -1 && errno == EINVAL);
}

// Signals to other threads, wherever they are.
void storm_operation(struct step* s) {
  for (uint64_t i = between(s, 1, 60); i > 0; --i) {
    struct slot* target = &slots[below(s, slot_count)];
    const int number = once_in(s, 2) ? SIGNAL_STORM : SIGNAL_STORM_2;
    if (once_in(s, 2)) {
      CHECK(syscall(SYS_tgkill, getpid(), target->tid, number) == 0);
    } else {
      CHECK(pthread_kill(target->thread, number) == 0);
    }
    if (once_in(s, 10)) sleep_us((unsigned)below(s, 100));
    if (once_in(s, 10)) burn_us((unsigned)below(s, 100));
  }
  const unsigned before = storms;
  CHECK(raise(SIGNAL_STORM) == 0);
  CHECK(storms > before);
}

static void send_queued(int value) {
  const union sigval v = {.sival_int = value};
  int error;
  while ((error = pthread_sigqueue(pthread_self(), SIGNAL_QUEUED, v)) != 0) CHECK(error == EAGAIN);
}

void queue_operation(struct step* s) {
  queued = queued_wrong = 0;
  queued_last = 0;
  int sent = 0;
  for (uint64_t i = between(s, 1, 20); i > 0; --i) send_queued(++sent);
  const struct quiet q = be_quiet();
  for (uint64_t i = between(s, 1, 20); i > 0; --i) {
    send_queued(++sent);
    if (once_in(s, 4)) burn_us(100);
  }
  sigset_t pending;
  CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGNAL_QUEUED) == 1);
  be_loud(&q);
  CHECK(queued == (unsigned)sent && queued_wrong == 0);
  fold(s, queued);
}

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void interval_timer(struct step* s) {
  static const int kinds[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
  const unsigned k = (unsigned)below(s, 3);
  const struct itimerval often = {{0, 1000 + (suseconds_t)below(s, 3000)}, {0, 1500}}, none = {{0, 0}, {0, 0}};
  CHECK(pthread_mutex_lock(&one_at_a_time) == 0);
  const unsigned before = alarms[k];
  CHECK(setitimer(kinds[k], &often, NULL) == 0);
  while (alarms[k] - before < 2) burn_us(200);
  struct itimerval left;
  CHECK(getitimer(kinds[k], &left) == 0 && left.it_interval.tv_usec >= often.it_interval.tv_usec);
  CHECK(setitimer(kinds[k], &none, NULL) == 0);
  CHECK(getitimer(kinds[k], &left) == 0 && left.it_value.tv_sec == 0 && left.it_value.tv_usec == 0);
  CHECK(pthread_mutex_unlock(&one_at_a_time) == 0);
  fold(s, k);
}

static _Atomic unsigned notified;
static void notify(union sigval value) { notified += (unsigned)value.sival_int; }

// Each expiry starts a thread; nobody waits for the last of them, so that only the first ones are counted.
static void thread_timer(void) {
  struct sigevent event;
  memset(&event, 0, sizeof(event));
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = notify;
  event.sigev_value.sival_int = 1;
  timer_t timer;
  while (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) CHECK(errno == EAGAIN);
  const struct itimerspec often = {{0, 1000000}, {0, 300000}};
  const unsigned before = notified;
  CHECK(timer_settime(timer, 0, &often, NULL) == 0);
  while (notified - before < 3) sleep_us(200);
  CHECK(timer_delete(timer) == 0);
}

void timers_operation(struct step* s) {
  if (once_in(s, 6)) thread_timer();
  if (once_in(s, 3)) interval_timer(s);
  for (int i = 0; i < 2; ++i) {
    struct sigevent event;
    memset(&event, 0, sizeof(event));
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGNAL_TIMER;
    event._sigev_un._tid = own_tid();
    timer_t timer;
    const clockid_t clock = once_in(s, 2) ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
    while (timer_create(clock, &event, &timer) != 0) CHECK(errno == EAGAIN);
    const struct itimerspec often = {{0, 300000 + (long)below(s, 1000000)}, {0, 200000}};
    ticks = 0;
    CHECK(timer_settime(timer, 0, &often, NULL) == 0);
    while (ticks < 3) burn_us(50);
    struct itimerspec left;
    CHECK(timer_gettime(timer, &left) == 0 && left.it_interval.tv_nsec == often.it_interval.tv_nsec);
    CHECK(timer_getoverrun(timer) >= 0);
    CHECK(timer_delete(timer) == 0);
  }
}

// What is blocked is blocked, what is said to be blocked is what was asked for, and what comes is kept.
void masks_operation(struct step* s) {
  sigset_t set, seen, before;
  sigemptyset(&set);
  for (int i = 0; i < 10; ++i) sigaddset(&set, (int)between(s, SIGNAL_RESUME + 1, SIGRTMAX));
  sigaddset(&set, SIGUSR2);
  CHECK(pthread_sigmask(SIG_BLOCK, &set, &before) == 0);
  CHECK(pthread_sigmask(SIG_BLOCK, NULL, &seen) == 0);
  for (int number = 1; number <= SIGRTMAX; ++number) {
    if (number == 32 || number == 33) continue;
    CHECK(sigismember(&seen, number) == (sigismember(&set, number) || sigismember(&before, number)));
  }
  siginfo_t info;
  CHECK(pthread_kill(pthread_self(), SIGUSR2) == 0);
  sigset_t pending;
  CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR2) == 1);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  if (once_in(s, 2)) {
    int got;
    while ((got = sigwaitinfo(&set, &info)) == -1) CHECK(errno == EINTR);
    CHECK(got == SIGUSR2 && info.si_pid == getpid());
  } else {
    const int fd = signalfd(-1, &set, SFD_CLOEXEC);
    struct signalfd_siginfo its;
    ssize_t got;
    CHECK(fd >= 0);
    while ((got = read(fd, &its, sizeof(its))) == -1) CHECK(errno == EINTR);
    CHECK(got == sizeof(its) && its.ssi_signo == SIGUSR2 && close(fd) == 0);
  }
  const struct timespec short_ns = {0, (long)below(s, 2000000)};
  const int64_t began = now_ns();
  errno = 0;
  CHECK(sigtimedwait(&set, &info, &short_ns) == -1);
  CHECK(errno == EINTR || (errno == EAGAIN && now_ns() - began >= short_ns.tv_nsec));
  // With all of them blocked nothing interrupts.
  const struct quiet q = be_quiet();
  errno = 0;
  CHECK(sigtimedwait(&set, &info, &short_ns) == -1 && errno == EAGAIN);
  queued = 0;
  queued_last = 0;
  send_queued(1);
  CHECK(queued == 0);
  sigset_t but_one;
  CHECK(pthread_sigmask(SIG_SETMASK, NULL, &but_one) == 0);
  sigdelset(&but_one, SIGNAL_QUEUED);
  errno = 0;
  CHECK(sigsuspend(&but_one) == -1 && errno == EINTR && queued == 1);
  be_loud(&q);
  CHECK(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
}

// In a child: all handlers to their defaults, then handlers for all signals, each of which comes once.
static volatile sig_atomic_t came[65];
static void on_any(int number) { ++came[number]; }

static uint64_t resets(struct step* s, void* argument) {
  (void)argument;
  sigset_t none;
  sigemptyset(&none);
  CHECK(sigprocmask(SIG_SETMASK, &none, NULL) == 0);
  for (int number = 1; number <= SIGRTMAX; ++number)
    if (number != SIGKILL && number != SIGSTOP && number != 32 && number != 33) signal(number, SIG_DFL);
  burn_us(1500);
  free(malloc(between(s, 1, 1 << 20)));
  if (once_in(s, 3)) return 1;
  for (int number = 1; number <= SIGRTMAX; ++number)
    if (number != SIGKILL && number != SIGSTOP && number != 32 && number != 33) set_handler(number, on_any, NULL, 0);
  burn_us(1500);
  for (int number = 1; number <= SIGRTMAX; ++number) {
    if (number == SIGKILL || number == SIGSTOP || number == 32 || number == 33) continue;
    const int before = came[number];
    CHECK(before == 0 && raise(number) == 0 && came[number] == 1);
  }
  burn_us(500);
  return 2;
}

void reset_signals_operation(struct step* s) { fold(s, in_child(s, resets, NULL, -1)); }
