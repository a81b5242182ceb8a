// syscall(): all six arguments, results and errno, of calls that wait and of others.
#include <linux/futex.h>
#include <linux/openat2.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "conform.h"

static char buffer[100];
static uint32_t word;

static long futex(uint32_t* at, int operation, uint32_t value, const struct timespec* timeout, uint32_t* other,
                  uint32_t bits) {
  return syscall(SYS_futex, at, operation, value, timeout, other, bits);
}

static void* wakes(void* unused) {
  nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
  EXPECT(futex(&word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0) >= 0);
  return unused;
}

static volatile int alarms;
static void on_alarm(int number) { alarms += number == SIGALRM; }
static void alarm_soon(void) {
  const struct itimerval soon = {.it_value.tv_usec = 12000};
  alarms = 0;
  setitimer(ITIMER_REAL, &soon, NULL);
}
static void handle(int flags) {
  const struct sigaction action = {.sa_handler = on_alarm, .sa_flags = flags};
  EXPECT(sigaction(SIGALRM, &action, NULL) == 0);
}

static void futexes(void) {
  struct timespec span = span_ms(10);
  FAILS("futex of another value", futex(&word, FUTEX_WAIT, 5, NULL, NULL, 0), EAGAIN);
  FAILS("futex at a bad address", futex((uint32_t*)1, FUTEX_WAIT, 0, NULL, NULL, 0), EINVAL);
  FAILS("futex of no operation", futex(&word, 100, 0, NULL, NULL, 0), ENOSYS);
  for (int round = 0; round < 5; ++round) {
    BURN_NS(930000 + round * 50000);
    const int64_t start = now_ns();
    FAILS("futex until its timeout", futex(&word, FUTEX_WAIT_PRIVATE, 0, &span, NULL, 0), ETIMEDOUT);
    HOLDS("not before it", now_ns() - start >= 10000000);
  }
  struct timespec at = after_ms(CLOCK_MONOTONIC, 10);
  FAILS("futex until a moment", futex(&word, FUTEX_WAIT_BITSET, 0, &at, NULL, FUTEX_BITSET_MATCH_ANY), ETIMEDOUT);
  at = after_ms(CLOCK_REALTIME, 10);
  FAILS("futex until a moment of the day",
        futex(&word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &at, NULL, FUTEX_BITSET_MATCH_ANY), ETIMEDOUT);
  FAILS("the sixth argument", futex(&word, FUTEX_WAIT_BITSET, 0, &at, NULL, 0), EINVAL);
  GIVES("futex wakes nobody", futex(&word, FUTEX_WAKE, 1, NULL, NULL, 0), 0);
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, wakes, NULL) == 0);
  while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0) {
    const long r = futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    EXPECT(r == 0 || errno == EAGAIN);
  }
  IS("futex until woken", word, 1);
  EXPECT(pthread_join(thread, NULL) == 0);
  handle(0);
  alarm_soon();
  FAILS("futex interrupted", futex(&word, FUTEX_WAIT, 1, NULL, NULL, 0), EINTR);
  IS("by its signal", alarms, 1);
  handle(SA_RESTART);
  alarm_soon();
  // A futex with a relative timeout is not restarted.
  FAILS("futex with a timeout and SA_RESTART", futex(&word, FUTEX_WAIT, 1, &(struct timespec){.tv_sec = 1}, NULL, 0),
        EINTR);
}

static void transfers(void) {
  int ends[2];
  EXPECT(syscall(SYS_pipe2, ends, O_CLOEXEC) == 0);
  GIVES("write", syscall(SYS_write, ends[1], "abcdef", 6L), 6);
  GIVES("read", syscall(SYS_read, ends[0], buffer, 100L), 6);
  FAILS("read a closed one", syscall(SYS_read, 200, buffer, 1L), EBADF);
  FAILS("read -1", syscall(SYS_read, -1L, buffer, 1L), EBADF);
  FAILS("no call", syscall(99999L), ENOSYS);
  FAILS("the call -1", syscall(-1L), ENOSYS);
  struct pollfd polled = {.fd = ends[0], .events = POLLIN};
  GIVES("poll", syscall(SYS_poll, &polled, 1L, 10L), 0);
  sigset_t set;
  sigemptyset(&set);
  GIVES("ppoll", syscall(SYS_ppoll, &polled, 1L, &(struct timespec){.tv_nsec = 5000000}, &set, 8L), 0);
  // The kernel writes what is left, as glibc's function does not show.
  struct timespec left = {.tv_nsec = 5000000};
  GIVES("pselect6", syscall(SYS_pselect6, 0L, NULL, NULL, NULL, &left, NULL), 0);
  IS("nothing is left", left.tv_nsec, 0);
  const int epoll = (int)syscall(SYS_epoll_create1, 0L);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = 4};
  GIVES("epoll_ctl", syscall(SYS_epoll_ctl, epoll, (long)EPOLL_CTL_ADD, ends[0], &event), 0);
  GIVES("epoll_pwait", syscall(SYS_epoll_pwait, epoll, &event, 1L, 10L, NULL, 8L), 0);
  GIVES("clock_nanosleep",
        syscall(SYS_clock_nanosleep, (long)CLOCK_MONOTONIC, 0L, &(struct timespec){.tv_nsec = 3000000}, NULL), 0);
  handle(0);
  alarm_soon();
  struct timespec rest = {0};
  FAILS("nanosleep interrupted", syscall(SYS_nanosleep, &(struct timespec){.tv_sec = 1}, &rest), EINTR);
  HOLDS("its rest", rest.tv_nsec > 0 && rest.tv_nsec < 1000000000 && rest.tv_sec == 0);
  alarm_soon();
  FAILS("poll interrupted", syscall(SYS_poll, NULL, 0L, -1L), EINTR);
  alarm_soon();
  FAILS("read interrupted", syscall(SYS_read, ends[0], buffer, 1L), EINTR);
  const int memory = (int)syscall(SYS_memfd_create, "memory", 0L);
  EXPECT(memory >= 0 && pwrite(memory, "second", 6, 4096) == 6);
  const long second = syscall(SYS_mmap, NULL, 4096L, (long)PROT_READ, (long)MAP_SHARED, (long)memory, 4096L);
  HOLDS("mmap's offset", second != -1 && memcmp((const char*)second, "second", 6) == 0);
  const int file = (int)syscall(SYS_openat, (long)AT_FDCWD, "made", (long)(O_CREAT | O_RDWR), 0640L);
  struct stat st;
  EXPECT(file >= 0 && fstat(file, &st) == 0);
  IS("openat's mode", st.st_mode & 0777, 0640);
  struct open_how how = {.flags = O_RDONLY, .resolve = RESOLVE_NO_SYMLINKS};
  const int again = (int)syscall(SYS_openat2, (long)AT_FDCWD, "made", &how, sizeof how);
  HOLDS("openat2", again >= 0);
  how.flags = ~0ULL;
  FAILS("openat2 with bad flags", syscall(SYS_openat2, (long)AT_FDCWD, "made", &how, sizeof how), EINVAL);
  GIVES("pwrite64", syscall(SYS_pwrite64, file, "0123456789", 10L, 5L), 10);
  loff_t in = 5, out = 100;
  GIVES("copy_file_range", syscall(SYS_copy_file_range, again, &in, file, &out, 4L, 0L), 4);
  HOLDS("its offsets", in == 9 && out == 104);
  char* map = (char*)syscall(SYS_mmap, NULL, 4096L, (long)PROT_READ, (long)MAP_SHARED, again, 0L);
  HOLDS("mmap's six arguments", map != MAP_FAILED && map[5] == '0');
  GIVES("getrandom", syscall(SYS_getrandom, buffer, 20L, 0L), 20);
  IS("gettid", syscall(SYS_gettid), gettid());
  GIVES("close", syscall(SYS_close, again), 0);
  FAILS("it is closed", fcntl(again, F_GETFD), EBADF);
  GIVES("close_range", syscall(SYS_close_range, (long)file, (long)file, 0L), 0);
  FAILS("it is closed, too", read(file, buffer, 1), EBADF);
  close(ends[0]), close(ends[1]), close(epoll);
}

static void* in_syscall(void* unused) {
  // No cancellation point.
  syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = 20000000}, NULL);
  word = 99;
  pthread_testcancel();
  return unused;
}

int main(void) {
  burn_beside(1);
  enter_scratch();
  futexes();
  transfers();
  pthread_t thread;
  void* result = NULL;
  EXPECT(pthread_create(&thread, NULL, in_syscall, NULL) == 0);
  nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  EXPECT(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0);
  HOLDS("cancelled", result == PTHREAD_CANCELED);
  IS("behind the call", word, 99);
  leave_scratch();
  return conform_failed;
}
