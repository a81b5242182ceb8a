// Threads of all kinds: small stacks, stacks of the program's own, detached, ended in every way.
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/hosts/host.h"

struct task {
  uint64_t seed;
  uint64_t answer;
  bool exits, small;
  sem_t* done;
};

static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static void forget(void* block) {
  // A destructor that works, as those of allocators and languages do.
  free(block);
  free(malloc(3000));
}
static void make_key(void) { CHECK(pthread_key_create(&key, forget) == 0); }

static void* run_task(void* argument) {
  struct task* task = argument;
  struct step s = {.random = task->seed, .outcome = 0, .forked = false};
  CHECK(pthread_setspecific(key, malloc(100)) == 0);
  for (uint64_t i = below(&s, 12); i > 0; --i) {
    const size_t size = between(&s, 1, 5000);
    char* block = malloc(size);
    CHECK(block != NULL);
    memset(block, 1, size);
    free(block);
    fold(&s, size);
    if (once_in(&s, 4)) {
      void* at = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      CHECK(at != MAP_FAILED && munmap(at, 8192) == 0);
    }
    if (once_in(&s, 6)) sleep_us((unsigned)below(&s, 200));
    if (once_in(&s, 6)) burn_us((unsigned)below(&s, 400));
  }
  if (task->done) {
    // The task lies on the stack of whom it tells, which may be gone after that.
    CHECK(sem_post(task->done) == 0);
    return NULL;
  }
  task->answer = s.outcome;
  if (task->exits) pthread_exit(task);
  return task;
}

void threads_operation(struct step* s) {
  enum { most = 8 };
  pthread_once(&key_once, make_key);
  pthread_t threads[most];
  struct task tasks[most];
  void* own[most] = {0};
  const unsigned count = (unsigned)between(s, 1, most);
  const size_t own_size = 128 << 10;
  sem_t done;
  unsigned detached = 0;
  CHECK(sem_init(&done, 0, 0) == 0);
  for (unsigned i = 0; i < count; ++i) {
    pthread_attr_t attributes;
    CHECK(pthread_attr_init(&attributes) == 0);
    tasks[i] = (struct task){.seed = draw(s), .exits = once_in(s, 3)};
    switch (below(s, 6)) {
      case 0:
        own[i] = mmap(NULL, own_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(own[i] != MAP_FAILED && pthread_attr_setstack(&attributes, own[i], own_size) == 0);
        break;
      case 1:
        tasks[i].exits = false;
        CHECK(pthread_attr_setstacksize(&attributes, 16384 + 4096 * below(s, 4)) == 0);
        CHECK(pthread_attr_setguardsize(&attributes, 4096 * below(s, 3)) == 0);
        break;
      case 2:
        CHECK(pthread_attr_setstacksize(&attributes, 40960 + 4096 * below(s, 50)) == 0);
        break;
      case 3:
        CHECK(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0);
        tasks[i].done = &done;
        ++detached;
        break;
      default:
        break;
    }
    // The program's own signals stay away from small stacks.
    const struct quiet q = be_quiet();
    CHECK(pthread_create(&threads[i], &attributes, run_task, &tasks[i]) == 0);
    be_loud(&q);
    CHECK(pthread_attr_destroy(&attributes) == 0);
    if (once_in(s, 3)) burn_us(100);
  }
  for (unsigned i = 0; i < count; ++i) {
    if (tasks[i].done) continue;
    void* result;
    CHECK(pthread_join(threads[i], &result) == 0 && result == &tasks[i]);
    if (own[i]) CHECK(munmap(own[i], own_size) == 0);
    fold(s, tasks[i].answer);
  }
  while (detached > 0) {
    if (sem_wait(&done) == 0) --detached;
  }
  // A thread that has posted may still be inside sem_post, which touches the semaphore no more. Destroying is then
  // legal.
  CHECK(sem_destroy(&done) == 0);
}

// Real-time and ordinary threads on one processor, in short bursts.
static void* burst(void* argument) {
  const bool fifo = argument != NULL;
  const struct sched_param high = {.sched_priority = 1}, low = {.sched_priority = 0};
  if (fifo && pthread_setschedparam(pthread_self(), SCHED_FIFO, &high) != 0) return NULL;
  for (int i = 0; i < 40; ++i) {
    void* at = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(at != MAP_FAILED && munmap(at, 65536) == 0);
    free(malloc(10000));
    if (i % 8 == 0) sleep_us(20);
  }
  if (fifo) CHECK(pthread_setschedparam(pthread_self(), SCHED_OTHER, &low) == 0);
  return NULL;
}

void realtime_operation(struct step* s) {
  cpu_set_t all, one;
  CHECK(sched_getaffinity(0, sizeof(all), &all) == 0);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &all)) ++cpu;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  pthread_t threads[4];
  const uint64_t fifo = below(s, 16);
  for (unsigned i = 0; i < 4; ++i) {
    pthread_attr_t attributes;
    CHECK(pthread_attr_init(&attributes) == 0);
    CHECK(pthread_attr_setaffinity_np(&attributes, sizeof(one), &one) == 0);
    const struct quiet q = be_quiet();
    CHECK(pthread_create(&threads[i], &attributes, burst, fifo >> i & 1 ? threads : NULL) == 0);
    be_loud(&q);
    CHECK(pthread_attr_destroy(&attributes) == 0);
  }
  for (unsigned i = 0; i < 4; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  fold(s, fifo);
}
