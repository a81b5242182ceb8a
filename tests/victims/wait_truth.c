// Waits for known times on known lines, one kind after the other, and tells what its own clock says of each: facts
// "ns_NAME" and "line_NAME". Only the main thread waits in these functions; who ends its waits naps elsewhere.
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/socket.h>

#include "victim.h"

static int ends[2], pair[2], file;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, condition_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore, held;
static int signalled;
static char buffer[64];

// What stands between `begin` and `END` is one line, and the last one before END.
static int64_t started;
static void begin(void) { started = now_ns(); }
static void end(const char* name, int line) {
  const int64_t took = now_ns() - started;
  char text[64];
  snprintf(text, sizeof text, "ns_%s", name);
  fact(text, took);
  snprintf(text, sizeof text, "line_%s", name);
  fact(text, line);
}
#define END(name) end(name, __LINE__ - 1)

static void nap_ms(long ms) { clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = ms * 1000000}, NULL); }

// One for each wait that another thread ends.
static void* ends_pipe(void* unused) {
  nap_ms(200);
  EXPECT(write(ends[1], "p", 1) == 1);
  return unused;
}
static void* ends_mutex(void* unused) {
  pthread_mutex_lock(&mutex);
  sem_post(&held);
  nap_ms(250);
  pthread_mutex_unlock(&mutex);
  return unused;
}
static void* ends_condition(void* unused) {
  nap_ms(150);
  pthread_mutex_lock(&condition_mutex);
  signalled = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&condition_mutex);
  return unused;
}
static void* ends_socket(void* unused) {
  nap_ms(200);
  EXPECT(send(pair[1], "s", 1, 0) == 1);
  return unused;
}
static void* ends_semaphore(void* unused) {
  nap_ms(100);
  sem_post(&semaphore);
  return unused;
}
static void* sleeps_long(void* unused) {
  nap_ms(120);
  return unused;
}

// Waits by an instruction of its own: nobody sees this call.
static void* unseen(void* unused) {
  static int word;
  const struct timespec span = {.tv_nsec = 400000000};
  const int64_t before = now_ns();
  long result;
  register const struct timespec* timeout __asm__("r10") = &span;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"((long)SYS_futex), "D"(&word), "S"((long)FUTEX_WAIT_PRIVATE), "d"(0L), "r"(timeout)
                   : "rcx", "r11", "memory");
  // A tick may end it early: what counts is how long it was in there.
  fact("ns_unseen", now_ns() - before);
  fact("tid_unseen", gettid());
  fact("cpu_ns_unseen", thread_cpu_ns());
  return unused;
}

static pthread_t helper;
static void start(void* (*routine)(void*)) { EXPECT(pthread_create(&helper, NULL, routine, NULL) == 0); }

// Waits for locks that are not told by themselves, in ns.
static int64_t other_locks;
static void finish(void) {
  const int64_t before = now_ns();
  EXPECT(pthread_join(helper, NULL) == 0);
  other_locks += now_ns() - before;
}

static void wait_sleep(void) {
  begin();
  nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
  END("sleep");
}
static void wait_pipe(void) {
  start(ends_pipe);
  begin();
  EXPECT(read(ends[0], buffer, 1) == 1);
  END("pipe");
  finish();
}
static void wait_mutex(void) {
  start(ends_mutex);
  while (sem_wait(&held) != 0) {
  }
  begin();
  pthread_mutex_lock(&mutex);
  END("mutex");
  pthread_mutex_unlock(&mutex);
  finish();
}
static void wait_condition(void) {
  pthread_mutex_lock(&condition_mutex);
  start(ends_condition);
  begin();
  while (!signalled) pthread_cond_wait(&condition, &condition_mutex);
  END("condition");
  pthread_mutex_unlock(&condition_mutex);
  finish();
}
static void wait_socket(void) {
  start(ends_socket);
  begin();
  EXPECT(recv(pair[0], buffer, sizeof buffer, 0) == 1);
  END("socket");
  finish();
}
static void wait_semaphore(void) {
  start(ends_semaphore);
  begin();
  sem_wait(&semaphore);
  END("semaphore");
  finish();
}
static void wait_join(void) {
  start(sleeps_long);
  begin();
  pthread_join(helper, NULL);
  END("join");
}
static void wait_child(void) {
  const pid_t child = fork();
  if (child == 0) {
    nap_ms(300);
    _exit(0);
  }
  int status = 0;
  begin();
  EXPECT(waitpid(child, &status, 0) == child);
  END("child");
}
static void wait_poll(void) {
  struct pollfd polled = {.fd = ends[0], .events = POLLIN};
  begin();
  poll(&polled, 1, 100);
  END("poll");
}
// None of these waits: all of it is CPU time, in a call that blocks by its nature.
static void wait_reads(long count) {
  const int64_t cpu = thread_cpu_ns();
  begin();
  for (long i = 0; i < count; ++i) EXPECT(pread(file, buffer, 8, 0) == 8);
  END("reads");
  fact("cpu_ns_reads", thread_cpu_ns() - cpu);
  fact("reads", count);
}
static void burn(void) {
  begin();
  burn_ms(300);
  END("burn");
}

int main(int argc, char** argv) {
  const int64_t before = thread_cpu_ns();
  EXPECT(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  EXPECT(sem_init(&semaphore, 0, 0) == 0 && sem_init(&held, 0, 0) == 0);
  file = open("/proc/self/exe", O_RDONLY);
  EXPECT(file >= 0);
  fact("tid_main", gettid());
  pthread_t hidden;
  EXPECT(pthread_create(&hidden, NULL, unseen, NULL) == 0);
  const int64_t at = now_ns();
  wait_sleep();
  wait_pipe();
  wait_mutex();
  wait_condition();
  wait_socket();
  wait_semaphore();
  wait_join();
  wait_child();
  wait_poll();
  wait_reads(argument(argc, argv, 1, 50000));
  burn();
  fact("ns_main", now_ns() - at);
  fact("cpu_ns_before", before);
  fact("cpu_ns_main", thread_cpu_ns());
  fact("ns_other_locks", other_locks);
  pthread_join(hidden, NULL);
  return 0;
}
