// Threads leave what they are at by a jump out of a signal handler, as POSIX allows out of functions that are safe in
// handlers, while another thread does the same things and goes on.
#include <fcntl.h>
#include <setjmp.h>
#include <sys/time.h>

#include "victim.h"

static __thread sigjmp_buf out;
static __thread volatile sig_atomic_t armed;
static volatile long rounds;

static void jump(int signal) {
  (void)signal;
  if (armed) siglongjmp(out, 1);
}

static void give_up(int signal) {
  (void)signal;
  dprintf(2, "it hangs after %ld rounds\n", rounds);
  _exit(VICTIM_FAILED);
}

static void work(long number) {
  void* p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(p != MAP_FAILED);
  munmap(p, 8192);
  char name[] = "/tmp/none/0000000";
  for (int i = 16; number != 0; number /= 10) name[i--] = (char)('0' + number % 10);
  const int fd = open(name, O_RDONLY);
  if (fd >= 0) close(fd);
}

static void* work_and_jump(void* seed) {
  uint32_t random = (uint32_t)(long)seed;
  sigset_t alarm_only;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  if (sigsetjmp(out, 1) == 0) {
    armed = 1;
    const struct itimerval once = {{0, 0}, {0, 50 + next_random(&random) % 300}};
    setitimer(ITIMER_REAL, &once, NULL);
    pthread_sigmask(SIG_UNBLOCK, &alarm_only, NULL);
    for (long i = 1;; ++i) work(i % 1000);
  }
  armed = 0;
  pthread_sigmask(SIG_BLOCK, &alarm_only, NULL);
  return NULL;
}

int main(int argc, char** argv) {
  const long count = argument(argc, argv, 1, 1000), mappings = argument(argc, argv, 2, 4000);
  for (long i = 0; i < mappings; ++i)
    EXPECT(mmap(NULL, 8192, i & 1 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
           MAP_FAILED);
  struct sigaction action = {.sa_handler = jump};
  EXPECT(sigaction(SIGALRM, &action, NULL) == 0);
  // The watchdog is a timer of its own: the jumps have the alarm.
  signal(SIGUSR1, give_up);
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  timer_t watchdog;
  EXPECT(timer_create(CLOCK_MONOTONIC, &event, &watchdog) == 0);
  sigset_t alarm_only;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarm_only, NULL);
  for (rounds = 0; rounds < count; ++rounds) {
    const struct itimerspec limit = {{0, 0}, {20, 0}};
    timer_settime(watchdog, 0, &limit, NULL);
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, work_and_jump, (void*)rounds) == 0);
    pthread_join(thread, NULL);
    work(rounds);
  }
  fact("rounds", rounds);
  return 0;
}
