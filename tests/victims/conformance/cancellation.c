// Threads that are cancelled in calls that wait, or that end in unusual places.
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

#include "conform.h"

static int ends[2], full[2], pair[2], listener, epoll, queue;
static sem_t semaphore, entered;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_t sleeper;
static pid_t child;
static char buffer[100];

static void by_read(void) { (void)!read(ends[0], buffer, sized(1)); }
static void by_readv(void) {
  struct iovec part = {buffer, 1};
  (void)!readv(ends[0], &part, 1);
}
static void by_write(void) { (void)!write(full[1], "x", 1); }
static void by_poll(void) { poll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, -1); }
static void by_ppoll(void) { ppoll(NULL, 0, &(struct timespec){.tv_sec = 9}, NULL); }
static void by_select(void) { select(0, NULL, NULL, NULL, NULL); }
static void by_epoll(void) { epoll_wait(epoll, &(struct epoll_event){0}, 1, -1); }
static void by_sleep(void) { sleep(9); }
static void by_usleep(void) { usleep(900000); }
static void by_nanosleep(void) { nanosleep(&(struct timespec){.tv_sec = 9}, NULL); }
static void by_clock(void) { clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_sec = 9}, NULL); }
static void by_pause(void) { pause(); }
static void by_sigwait(void) {
  sigset_t set;
  int number;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  sigwait(&set, &number);
}
static void by_accept(void) { accept(listener, NULL, NULL); }
static void by_recv(void) { recv(pair[0], buffer, sized(1), 0); }
static void by_recvmsg(void) {
  struct msghdr message = {0};
  recvmsg(pair[0], &message, 0);
}
static void by_sem_wait(void) { sem_wait(&semaphore); }
static void by_sem_timedwait(void) {
  const struct timespec at = after_ms(CLOCK_REALTIME, 9000);
  sem_timedwait(&semaphore, &at);
}
static void by_join(void) { pthread_join(sleeper, NULL); }
static void by_waitpid(void) { waitpid(child, NULL, 0); }
static void by_fifo(void) { open("fifo", O_RDONLY); }
static void by_lock(void) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  const int fd = open("lock", O_RDWR);
  fcntl(fd, F_OFD_SETLKW, &lock);
}
static void by_msgrcv(void) { msgrcv(queue, buffer, 8, 0, 0); }
static void by_system(void) { (void)!system("sleep 9"); }
static void by_testcancel(void) {
  for (;;) {
    pthread_testcancel();
    sched_yield();
  }
}
static void by_cond(void) { pthread_cond_wait(&condition, &mutex); }
static void by_cond_timed(void) {
  const struct timespec at = after_ms(CLOCK_REALTIME, 9000);
  pthread_cond_timedwait(&condition, &mutex, &at);
}

struct Row {
  const char* name;
  void (*wait)(void);
  bool with_mutex;
};
static const struct Row rows[] = {
    {"read", by_read, false},
    {"readv", by_readv, false},
    {"write", by_write, false},
    {"poll", by_poll, false},
    {"ppoll", by_ppoll, false},
    {"select", by_select, false},
    {"epoll_wait", by_epoll, false},
    {"sleep", by_sleep, false},
    {"usleep", by_usleep, false},
    {"nanosleep", by_nanosleep, false},
    {"clock_nanosleep", by_clock, false},
    {"pause", by_pause, false},
    {"sigwait", by_sigwait, false},
    {"accept", by_accept, false},
    {"recv", by_recv, false},
    {"recvmsg", by_recvmsg, false},
    {"sem_wait", by_sem_wait, false},
    {"sem_timedwait", by_sem_timedwait, false},
    {"pthread_join", by_join, false},
    {"waitpid", by_waitpid, false},
    {"open of a FIFO", by_fifo, false},
    {"fcntl", by_lock, false},
    {"msgrcv", by_msgrcv, false},
    {"system", by_system, false},
    {"pthread_testcancel", by_testcancel, false},
    {"pthread_cond_wait", by_cond, true},
    {"pthread_cond_timedwait", by_cond_timed, true},
};

static char order[10];
static void note(void* letter) { strcat(order, letter); }
static bool held_at_cleanup;
static void unlock(void* unused) {
  (void)unused;
  held_at_cleanup = pthread_mutex_trylock(&mutex) == EBUSY;
  pthread_mutex_unlock(&mutex);
}
static pthread_key_t key;

static void wait_with_mutex(const struct Row* row) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, NULL);
  sem_post(&entered);
  row->wait();
  pthread_cleanup_pop(0);
}

static void wait_without(const struct Row* row) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  sem_post(&entered);
  row->wait();
}

static void* waits(void* argument) {
  const struct Row* row = argument;
  pthread_setspecific(key, "d");
  pthread_cleanup_push(note, (void*)"a");
  pthread_cleanup_push(note, (void*)"b");
  if (row->with_mutex)
    wait_with_mutex(row);
  else
    wait_without(row);
  strcat(order, "-");
  pthread_cleanup_pop(1);
  pthread_cleanup_pop(1);
  return NULL;
}

// Both when it waits already, and when it is asked before it begins to.
static void cancelled(const struct Row* row, bool early) {
  char name[100];
  order[0] = '\0';
  held_at_cleanup = false;
  pthread_t thread;
  if (early) pthread_mutex_lock(&mutex);
  EXPECT(pthread_create(&thread, NULL, waits, (void*)row) == 0);
  if (early) {
    pthread_cancel(thread);
    pthread_mutex_unlock(&mutex);
  } else {
    while (sem_wait(&entered) != 0) {
    }
    nanosleep(&(struct timespec){.tv_nsec = 4000000}, NULL);
    pthread_cancel(thread);
  }
  void* result = NULL;
  EXPECT(pthread_join(thread, &result) == 0);
  while (sem_trywait(&entered) == 0) {
  }
  snprintf(name, sizeof name, "cancelled in %s%s", row->name, early ? ", early" : "");
  conform(result == PTHREAD_CANCELED && strcmp(order, "bad") == 0, name, "%d, %s", result == PTHREAD_CANCELED, order);
  if (row->with_mutex) HOLDS("it had the mutex again", held_at_cleanup);
  EXPECT(pthread_mutex_trylock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
}

static volatile int reached;
static void* disabled(void* unused) {
  int old;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
  sem_post(&entered);
  if (read(ends[0], buffer, sized(1)) == 1) ++reached;
  if (nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL) == 0) ++reached;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
  pthread_testcancel();
  reached += 100;
  return unused;
}
static void* spins(void* unused) {
  int old;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
  sem_post(&entered);
  for (;;) __asm__ volatile("");
  return unused;
}
// Functions that are no cancellation points must not become any.
static void* no_points(void* unused) {
  sem_post(&entered);
  while (sem_trywait(&semaphore) != 0) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    struct stat st;
    stat("/", &st);
    free(malloc(100));
  }
  reached = 7;
  pthread_testcancel();
  return unused;
}

static void* start_and_cancel(void* (*routine)(void*)) {
  pthread_t thread;
  void* result = NULL;
  EXPECT(pthread_create(&thread, NULL, routine, NULL) == 0);
  while (sem_wait(&entered) != 0) {
  }
  nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
  EXPECT(pthread_cancel(thread) == 0);
  if (routine == disabled) EXPECT(write(ends[1], "x", 1) == 1);
  if (routine == no_points) {
    nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
    sem_post(&semaphore);
  }
  EXPECT(pthread_join(thread, &result) == 0);
  return result;
}

static void* ends_in_handler(void* unused) {
  for (;;) (void)!read(ends[0], buffer, sized(1));
  return unused;
}
static void end_thread(int number) {
  (void)number;
  pthread_exit((void*)55);
}

int main(void) {
  burn_beside(1);
  enter_scratch();
  put_file("lock", "");
  EXPECT(pipe(ends) == 0 && pipe(full) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  EXPECT(mkfifo("fifo", 0600) == 0 && sem_init(&semaphore, 0, 0) == 0 && sem_init(&entered, 0, 0) == 0);
  fcntl(full[1], F_SETFL, O_NONBLOCK);
  while (write(full[1], buffer, sizeof buffer) > 0) {
  }
  while (write(full[1], buffer, 1) > 0) {
  }
  fcntl(full[1], F_SETFL, 0);
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
  listener = socket(AF_UNIX, SOCK_STREAM, 0);
  EXPECT(bind(listener, (struct sockaddr*)&address, sizeof address) == 0 && listen(listener, 5) == 0);
  epoll = epoll_create1(0);
  queue = msgget(IPC_PRIVATE, 0600);
  const int lock = open("lock", O_RDWR);
  struct flock held = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  EXPECT(epoll >= 0 && queue >= 0 && fcntl(lock, F_OFD_SETLK, &held) == 0);
  EXPECT(pthread_key_create(&key, note) == 0);
  static const struct Row nap = {"", by_sleep, false};
  EXPECT(pthread_create(&sleeper, NULL, waits, (void*)&nap) == 0);
  while (sem_wait(&entered) != 0) {
  }
  child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    cancelled(&rows[i], false);
    cancelled(&rows[i], true);
  }
  IS("the process and the thread that were waited for are there", kill(child, SIGKILL), 0);
  IS("its status", waitpid(child, NULL, 0), child);
  EXPECT(pthread_cancel(sleeper) == 0);
  IS("pthread_join after a cancelled one", pthread_join(sleeper, NULL), 0);

  HOLDS("cancelled as soon as it is enabled", start_and_cancel(disabled) == PTHREAD_CANCELED);
  IS("not before", reached, 2);
  HOLDS("cancelled anywhere", start_and_cancel(spins) == PTHREAD_CANCELED);
  HOLDS("cancelled at last", start_and_cancel(no_points) == PTHREAD_CANCELED);
  IS("not where there is no point", reached, 7);

  const struct sigaction action = {.sa_handler = end_thread};
  EXPECT(sigaction(SIGUSR1, &action, NULL) == 0);
  pthread_t thread;
  void* result = NULL;
  EXPECT(pthread_create(&thread, NULL, ends_in_handler, NULL) == 0);
  nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
  pthread_kill(thread, SIGUSR1);
  EXPECT(pthread_join(thread, &result) == 0);
  IS("pthread_exit in a handler", (long)result, 55);
  IS("pthread_tryjoin_np of nobody running", pthread_create(&thread, NULL, ends_in_handler, NULL), 0);
  IS("pthread_tryjoin_np", pthread_tryjoin_np(thread, NULL), EBUSY);
  EXPECT(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0);
  msgctl(queue, IPC_RMID, NULL);
  leave_scratch();
  return conform_failed;
}
