// Has timers of all kinds of its own, a profiling timer among them, and knows how often each must fire.
#include <sys/time.h>

#include "victim.h"

static volatile int profiled, alarmed;
static void on_prof(int number) {
  (void)number;
  ++profiled;
}
static void on_timer(int number, siginfo_t* info, void* context) {
  (void)context;
  EXPECT(number == SIGRTMIN + 1 && info->si_code == SI_TIMER && info->si_value.sival_int == 77);
  alarmed += 1 + info->si_overrun;
}
static int called;
static void on_thread(union sigval value) {
  EXPECT(value.sival_int == 78);
  __atomic_fetch_add(&called, 1, __ATOMIC_RELAXED);
}

// The kernel tells a profiling timer's time by its ticks, of which a busy machine takes some: so more than one try.
static int as_often_as_alone(void) {
  timer_t by_signal, by_thread;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1, .sigev_value = {.sival_int = 77}};
  EXPECT(timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &by_signal) == 0);
  struct sigevent thread_event = {.sigev_notify = SIGEV_THREAD, .sigev_value = {.sival_int = 78}};
  thread_event.sigev_notify_function = on_thread;
  EXPECT(timer_create(CLOCK_MONOTONIC, &thread_event, &by_thread) == 0);
  profiled = alarmed = 0;
  __atomic_store_n(&called, 0, __ATOMIC_RELAXED);
  const struct itimerspec every = {{0, 20000000}, {0, 20000000}};
  const struct itimerval profile = {{0, 20000}, {0, 20000}};
  EXPECT(timer_settime(by_signal, 0, &every, NULL) == 0);
  EXPECT(timer_settime(by_thread, 0, &every, NULL) == 0);
  EXPECT(setitimer(ITIMER_PROF, &profile, NULL) == 0);
  const int64_t start = process_cpu_ns();
  BURN_NS(800000000);
  const long periods = (long)((process_cpu_ns() - start) / 20000000);
  const struct itimerval off = {{0, 0}, {0, 0}};
  EXPECT(setitimer(ITIMER_PROF, &off, NULL) == 0);
  EXPECT(timer_delete(by_signal) == 0 && timer_delete(by_thread) == 0);
  // SIGPROF is merged while pending, and comes with the ticks of a busy kernel; the queued one tells of its overruns.
  return profiled >= 5 && profiled <= periods + 2 && alarmed >= periods - 5 && alarmed <= periods + 2 &&
         __atomic_load_n(&called, __ATOMIC_RELAXED) >= 20;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_prof, .sa_flags = SA_RESTART};
  EXPECT(sigaction(SIGPROF, &action, NULL) == 0);
  action.sa_sigaction = on_timer;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  EXPECT(sigaction(SIGRTMIN + 1, &action, NULL) == 0);
  EXPECT(as_often_as_alone() || as_often_as_alone() || as_often_as_alone());
  fact("cpu_ns", rusage_cpu_ns());
  return 0;
}
