// Waits that are known by the program's own clock, and the ways in which a thread gets out of one.
#include "victim.h"

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <sys/time.h>

static void nap_ns(long ns) {
  const struct timespec t = {ns / 1000000000, ns % 1000000000};
  nanosleep(&t, NULL);
}

// Returns at once, with an error: the shortest call there is.
static void no_nap(void) {
  const struct timespec never = {0, -1};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &never, NULL);
}

static int64_t here(int times, long ns) {
  const int64_t began = now_ns();
  for (int i = 0; i < times; ++i) nap_ns(ns);
  return now_ns() - began;
}
static int64_t there(int times, long us) {
  const int64_t began = now_ns();
  for (int i = 0; i < times; ++i) usleep((useconds_t)us);
  return now_ns() - began;
}
static int64_t shortly(int times) {
  const int64_t began = now_ns();
  for (int i = 0; i < times; ++i) no_nap();
  return now_ns() - began;
}

static void sleeps(void) {
  fact("here_ns", here(10, 20000000));
  fact("there_ns", there(20, 5000));
  fact("short_ns", shortly(2000000));
}

static void* sleep_long(void* unused) {
  (void)unused;
  nap_ns(500000000000);
  return NULL;
}

static void in_flight(void) {
  pthread_t t;
  EXPECT(pthread_create(&t, NULL, sleep_long, NULL) == 0);
  nap_ns(300000000);
  dprintf(1, "ready\n");
  raise(SIGKILL);
}

// A handler forks in the midst of a call; the child waits, and then returns through that call.
static pid_t g_child = -1;
static void fork_in_handler(int unused) {
  (void)unused;
  g_child = fork();
  if (g_child == 0) here(20, 2000000);
}
static void forks_in_call(void) {
  signal(SIGALRM, fork_in_handler);
  here(5, 2000000);  // its context is taken before it from now on
  const struct itimerval soon = {{0, 0}, {0, 100000}};
  setitimer(ITIMER_REAL, &soon, NULL);
  nap_ns(400000000);  // ends early
  if (g_child == 0) {
    here(3, 2000000);
    _exit(0);
  }
  int status = 1;
  EXPECT(waitpid(g_child, &status, 0) == g_child && status == 0);
}

static void forget(void* unused) {
  (void)unused;
  nap_ns(1000000);  // its own call, while the other one is being left
}
static int64_t g_asleep_since;
static void* sleep_with_key(void* key) {
  pthread_setspecific(*(pthread_key_t*)key, key);
  __atomic_store_n(&g_asleep_since, now_ns(), __ATOMIC_RELEASE);
  sleep_long(NULL);
  return NULL;
}
static void cancelled(void) {
  pthread_key_t key;
  EXPECT(pthread_key_create(&key, forget) == 0);
  pthread_t t;
  EXPECT(pthread_create(&t, NULL, sleep_with_key, &key) == 0);
  int64_t since;
  while ((since = __atomic_load_n(&g_asleep_since, __ATOMIC_ACQUIRE)) == 0) sched_yield();
  usleep(200000);
  fact("at_least_ns", now_ns() - since);
  EXPECT(pthread_cancel(t) == 0);
  void* result;
  EXPECT(pthread_join(t, &result) == 0 && result == PTHREAD_CANCELED);
  fact("at_most_ns", now_ns() - since);
}

static sigjmp_buf g_out;
static void jump(int signal) {
  (void)signal;
  siglongjmp(g_out, 1);
}
static void alarm_in_us(long us) {
  const struct itimerval t = {{0, 0}, {0, us}};
  setitimer(ITIMER_REAL, &t, NULL);
}
static void handle_alarm(void (*handler)(int), int flags) {
  struct sigaction a;
  memset(&a, 0, sizeof a);
  a.sa_handler = handler;
  a.sa_flags = flags;
  sigaction(SIGALRM, &a, NULL);
}
static __attribute__((noinline)) void leave_by_jump(void) {
  char room[20000];  // deeper than the calls that follow
  memset(room, 1, sizeof room);
  __asm__ volatile("" : : "r"(room) : "memory");
  if (sigsetjmp(g_out, 1) == 0) {
    alarm_in_us(10000);
    for (;;) pause();
  }
}
static void jumps(int alternate) {
  static char stack[65536];
  const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
  if (alternate) EXPECT(sigaltstack(&own, NULL) == 0);
  handle_alarm(jump, alternate ? SA_ONSTACK : 0);
  for (int i = 0; i < 10; ++i) leave_by_jump();
  fact("here_ns", here(5, 20000000));
}
// The handler itself waits when it is left: its call stands on another stack.
static sigjmp_buf g_out_of_handler;
static void wait_in_handler(int signal) {
  static volatile sig_atomic_t depth = 0;
  (void)signal;
  if (++depth == 2) siglongjmp(g_out_of_handler, 1);
  alarm_in_us(10000);
  for (;;) pause();
}
static void jump_out_of_handler(void) {
  static char stack[65536];
  const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
  EXPECT(sigaltstack(&own, NULL) == 0);
  handle_alarm(wait_in_handler, SA_ONSTACK | SA_NODEFER);
  if (sigsetjmp(g_out_of_handler, 1) == 0) {
    alarm_in_us(10000);
    for (;;) pause();
  }
  fact("here_ns", here(5, 20000000));
}

static int64_t g_in_handler;
static void sleep_in_handler(int signal) {
  (void)signal;
  g_in_handler = there(1, 150000);
}
static void nested(int alternate) {
  static char stack[65536];
  const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
  if (alternate) EXPECT(sigaltstack(&own, NULL) == 0);
  handle_alarm(sleep_in_handler, alternate ? SA_ONSTACK : 0);
  alarm_in_us(100000);
  fact("outer_ns", here(1, 3000000000));  // ended by the signal, after its handler
  fact("inner_ns", g_in_handler);
}

// `reads` of so many bytes of CPU time: nothing of it is waited for.
static int64_t read_zeros(int reads, size_t bytes) {
  const int fd = open("/dev/urandom", O_RDONLY);
  char* room = malloc(bytes);
  EXPECT(fd >= 0 && room != NULL);
  const int64_t began = thread_cpu_ns();
  for (int i = 0; i < reads; ++i) EXPECT(read(fd, room, bytes) == (ssize_t)bytes);
  const int64_t cpu = thread_cpu_ns() - began;
  free(room);
  close(fd);
  return cpu;
}

static void wait_for(pid_t pid) {
  int status;
  EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid);
  EXPECT(WIFEXITED(status));
}
// A child that does little before it becomes another program, which is not recorded.
static void forks(const char* program, long ns) {
  char* argv[] = {(char*)program, NULL};
  const pid_t pid = fork();
  if (pid == 0) {
    for (int i = 0; i < 100; ++i) no_nap();
    if (ns != 0) nap_ns(ns);
    execv(program, argv);
    _exit(1);
  }
  wait_for(pid);
}
static void vforks(const char* program) {
  char* argv[] = {(char*)program, NULL};
  const pid_t pid = vfork();
  if (pid == 0) {
    usleep(20000);
    for (int i = 0; i < 100; ++i) no_nap();
    execv(program, argv);
    _exit(1);
  }
  wait_for(pid);
  nap_ns(5000000);
}

static void* nap_once(void* unused) {
  (void)unused;
  nap_ns(100000);
  return NULL;
}
static void short_threads(int threads) {
  for (int i = 0; i < threads; ++i) {
    pthread_t t;
    EXPECT(pthread_create(&t, NULL, nap_once, NULL) == 0);
    EXPECT(pthread_join(t, NULL) == 0);
  }
}

// Two threads on one CPU, the main one and another: each waits for it half of the time.
static void* burn(void* unused) {
  (void)unused;
  burn_ms(300);
  return NULL;
}
static void crowded(void) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  EXPECT(sched_setaffinity(0, sizeof one, &one) == 0);
  pthread_t t;
  const int64_t began = now_ns();
  EXPECT(pthread_create(&t, NULL, burn, NULL) == 0);
  burn(NULL);
  EXPECT(pthread_join(t, NULL) == 0);
  fact("wall_ns", now_ns() - began);
}

// Becomes itself again after much work: what that needed is not the new program's.
static void work_and_exec(char** argv) {
  char* again[] = {argv[0], (char*)"one_sleep", (char*)"30", NULL};
  crowded();
  execv(argv[0], again);
  _exit(1);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "sleeps") == 0) sleeps();
  if (strcmp(what, "in_flight") == 0) in_flight();
  if (strcmp(what, "cancelled") == 0) cancelled();
  if (strcmp(what, "forks_in_call") == 0) forks_in_call();
  if (strcmp(what, "jumps") == 0) jumps(0);
  if (strcmp(what, "jumps_alternate") == 0) jumps(1);
  if (strcmp(what, "jump_out_of_handler") == 0) jump_out_of_handler();
  if (strcmp(what, "nested") == 0) nested(0);
  if (strcmp(what, "nested_alternate") == 0) nested(1);
  if (strcmp(what, "cpu") == 0) fact("cpu_ns", read_zeros(400, 1 << 18));
  if (strcmp(what, "fork") == 0) forks(argv[2], 0);
  if (strcmp(what, "fork_sleep") == 0) forks(argv[2], 2000000);
  if (strcmp(what, "vfork") == 0) vforks(argv[2]);
  if (strcmp(what, "one_sleep") == 0) fact("here_ns", here(1, argument(argc, argv, 2, 0) * 1000000));
  if (strcmp(what, "short_threads") == 0) short_threads(2000);
  if (strcmp(what, "crowded") == 0) crowded();
  if (strcmp(what, "exec") == 0) work_and_exec(argv);
  return 0;
}
