// A real-time thread and an ordinary one on one processor, both at work on mappings: the first one's calls are short,
// whatever the second was in the midst of.
#include <sched.h>

#include "victim.h"

static volatile int over;
static int64_t longest;

static void* ordinary(void* unused) {
  void* p[256];
  while (!over) {
    for (int i = 0; i < 256; ++i)
      p[i] = mmap(NULL, 8192, i & 1 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 256; ++i) munmap(p[i], 8192);
  }
  return unused;
}

static void* urgent(void* unused) {
  uint32_t random = 1;
  for (const int64_t end = now_ns() + 2000000000; now_ns() < end;) {
    const struct timespec pause = {0, 300000 + next_random(&random) % 500000};
    nanosleep(&pause, NULL);
    const int64_t began = now_ns();
    void* p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(p, 4096);
    if (now_ns() - began > longest) longest = now_ns() - began;
  }
  over = 1;
  return unused;
}

int main(int argc, char** argv) {
  const long mappings = argument(argc, argv, 1, 1000);
  for (long i = 0; i < mappings; ++i)
    mmap(NULL, 8192, i & 1 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  EXPECT(sched_setaffinity(0, sizeof(one), &one) == 0);
  pthread_t slow, fast;
  pthread_attr_t attributes;
  const struct sched_param priority = {.sched_priority = 50};
  pthread_attr_init(&attributes);
  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
  pthread_attr_setschedparam(&attributes, &priority);
  EXPECT(pthread_create(&slow, NULL, ordinary, NULL) == 0);
  if (pthread_create(&fast, &attributes, urgent, NULL) != 0) {
    fact("refused", 1);
    _exit(0);
  }
  pthread_join(fast, NULL);
  pthread_join(slow, NULL);
  fact("longest_us", longest / 1000);
  return 0;
}
