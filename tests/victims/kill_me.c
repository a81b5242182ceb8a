// Burns CPU time and writes its clock into a shared file all the while, so that whoever kills it knows what it had
// used. Beside that, threads allocate and end, so that a kill meets every part of the agent at work.
#include <fcntl.h>

#include "victim.h"

static volatile int64_t* shared;

static void* churn(void* unused) {
  (void)unused;
  uint32_t seed = (uint32_t)syscall(SYS_gettid);
  void* kept[64] = {0};
  for (int i = 0; i < 20000; ++i) {
    const unsigned slot = next_random(&seed) % 64;
    free(kept[slot]);
    kept[slot] = malloc(1 + next_random(&seed) % 100000);
  }
  for (int i = 0; i < 64; ++i) free(kept[i]);
  return NULL;
}

static void* restless(void* unused) {
  pthread_t t;
  while (pthread_create(&t, NULL, churn, unused) == 0) pthread_join(t, NULL);
  return NULL;
}

int main(int argc, char** argv) {
  EXPECT(argc > 2);
  const int fd = open(argv[1], O_RDWR);
  EXPECT(fd >= 0);
  shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  EXPECT(shared != MAP_FAILED);
  close(fd);
  if (strcmp(argv[2], "busy") == 0) {
    pthread_t t;
    EXPECT(pthread_create(&t, NULL, restless, NULL) == 0);
  }
  for (;;) {
    for (int i = 0; i < 10000; ++i) __asm__ volatile("");
    // The main thread's clock: other threads' samples are their own matter.
    *shared = thread_cpu_ns();
  }
}
