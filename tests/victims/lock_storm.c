// Locks under a storm of signals whose handler takes locks itself, many threads at one lock, and locks that live for a
// moment. `lock_storm WHAT`: signals, hammer N, short N, many N, fork, load LIBRARY.
#include <dlfcn.h>
#include <semaphore.h>
#include <sys/time.h>

#include "victim.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static long turn;

static pthread_mutex_t handlers_own = PTHREAD_MUTEX_INITIALIZER;
static sem_t handlers_semaphore;
static volatile long handled;
static void on_alarm(int number) {
  (void)number;
  const int kept = errno;
  if (pthread_mutex_trylock(&handlers_own) == 0) {
    ++handled;
    EXPECT(sem_post(&handlers_semaphore) == 0 && sem_wait(&handlers_semaphore) == 0);
    pthread_mutex_unlock(&handlers_own);
  }
  errno = kept;
}

// Two threads hand the turn to and fro.
static void* player(void* who) {
  const long mine = (long)(intptr_t)who;
  for (long i = 0; i < 20000; ++i) {
    EXPECT(pthread_mutex_lock(&mutex) == 0);
    while (turn % 2 != mine) {
      struct timespec until;
      clock_gettime(CLOCK_REALTIME, &until);
      until.tv_sec += 20;
      EXPECT((i % 2 ? pthread_cond_wait(&condition, &mutex) : pthread_cond_timedwait(&condition, &mutex, &until)) == 0);
    }
    ++turn;
    EXPECT(pthread_cond_signal(&condition) == 0);
    EXPECT(pthread_mutex_unlock(&mutex) == 0);
  }
  return NULL;
}
static void signals(void) {
  EXPECT(sem_init(&handlers_semaphore, 0, 0) == 0);
  const struct sigaction action = {.sa_handler = on_alarm};  // without SA_RESTART
  EXPECT(sigaction(SIGALRM, &action, NULL) == 0);
  const struct itimerval often = {{0, 500}, {0, 500}};
  EXPECT(setitimer(ITIMER_REAL, &often, NULL) == 0);
  pthread_t players[2];
  for (long i = 0; i < 2; ++i) EXPECT(pthread_create(&players[i], NULL, player, (void*)(intptr_t)i) == 0);
  for (int i = 0; i < 2; ++i) EXPECT(pthread_join(players[i], NULL) == 0);
  // A wait of the host's own that its own signal ends.
  sem_t never;
  EXPECT(sem_init(&never, 0, 0) == 0);
  EXPECT(sem_wait(&never) == -1 && errno == EINTR);
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 20;
  EXPECT(sem_timedwait(&never, &until) == -1 && errno == EINTR);
  const struct itimerval off = {{0, 0}, {0, 0}};
  EXPECT(setitimer(ITIMER_REAL, &off, NULL) == 0);
  EXPECT(turn == 40000 && handled > 0);
}

static long pairs;
static volatile long total;
static pthread_barrier_t start;
static void* hammer(void* unused) {
  pthread_barrier_wait(&start);
  for (long i = 0; i < pairs; ++i) {
    EXPECT(pthread_mutex_lock(&mutex) == 0);
    total = total + 1;
    EXPECT(pthread_mutex_unlock(&mutex) == 0);
  }
  return unused;
}
static void hammers(long n) {
  pairs = n;
  EXPECT(pthread_barrier_init(&start, NULL, 3) == 0);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) EXPECT(pthread_create(&threads[i], NULL, hammer, NULL) == 0);
  const int64_t began = now_ns();
  pthread_barrier_wait(&start);
  for (int i = 0; i < 2; ++i) EXPECT(pthread_join(threads[i], NULL) == 0);
  fact("pair_ps", (now_ns() - began) * 1000 / (2 * n));
  fact("cpu_ps", process_cpu_ns() * 1000 / (2 * n));
  EXPECT(total == 2 * n);
}

static void short_lived(long n) {
  const int64_t began = thread_cpu_ns();
  for (long i = 0; i < n; ++i) {
    pthread_mutex_t m;
    EXPECT(pthread_mutex_init(&m, NULL) == 0);
    EXPECT(pthread_mutex_lock(&m) == 0 && pthread_mutex_unlock(&m) == 0);
    EXPECT(pthread_mutex_destroy(&m) == 0);
  }
  fact("lock_ps", (thread_cpu_ns() - began) * 1000 / n);
}

// Locks that somebody had to wait for, one after the other.
static void many(long n) {
  const struct timespec past = {1, 0};
  sem_t* semaphores = mmap(NULL, (size_t)n * sizeof(sem_t), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(semaphores != MAP_FAILED);
  for (int round = 0; round < 2; ++round) {
    for (long i = 0; i < n; ++i) {
      EXPECT(sem_init(&semaphores[i], 0, 0) == 0);
      EXPECT(sem_timedwait(&semaphores[i], &past) == -1 && errno == ETIMEDOUT);
      EXPECT(sem_destroy(&semaphores[i]) == 0);
    }
  }
}

// Locks in the handlers around a fork, and in the child.
static void lock_it(void) { EXPECT(pthread_mutex_lock(&mutex) == 0); }
static void unlock_it(void) { EXPECT(pthread_mutex_unlock(&mutex) == 0); }
static volatile int stop;
static void* keeps_locking(void* unused) {
  while (!stop) {
    lock_it();
    ++turn;
    unlock_it();
  }
  return unused;
}
static void forks(void) {
  EXPECT(pthread_atfork(lock_it, unlock_it, unlock_it) == 0);
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, keeps_locking, NULL) == 0);
  for (int i = 0; i < 50; ++i) {
    const pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
      for (int k = 0; k < 100; ++k) {
        lock_it();
        unlock_it();
      }
      pthread_t inner;
      pairs = 10;
      EXPECT(pthread_barrier_init(&start, NULL, 1) == 0);
      EXPECT(pthread_create(&inner, NULL, hammer, NULL) == 0 && pthread_join(inner, NULL) == 0);
      _exit(7);
    }
    int status;
    EXPECT(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
  }
  stop = 1;
  EXPECT(pthread_join(thread, NULL) == 0);
}

int main(int argc, char** argv) {
  EXPECT(argc > 1);
  if (strcmp(argv[1], "signals") == 0) signals();
  if (strcmp(argv[1], "hammer") == 0) hammers(argument(argc, argv, 2, 1000000));
  if (strcmp(argv[1], "short") == 0) short_lived(argument(argc, argv, 2, 1000000));
  if (strcmp(argv[1], "many") == 0) many(argument(argc, argv, 2, 5000));
  if (strcmp(argv[1], "fork") == 0) forks();
  if (strcmp(argv[1], "load") == 0) EXPECT(argc > 2 && dlopen(argv[2], RTLD_NOW) != NULL);
  return 0;
}
