/* A program to be killed: two threads that burn CPU in changing contexts, allocate, free each other's blocks, map and
 * unmap; now and then a fork. Runs until it is killed. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHELF = 256 };
static _Atomic(void*) shelf[SHELF];

static unsigned long burn(unsigned long seed, int depth) {
  if (depth > 0) return burn(seed * 6364136223846793005UL + 1, depth - 1) ^ seed;
  char* block = malloc(16 + seed % 8192);
  if (!block) abort();
  memset(block, (int)seed, 16);
  free(__atomic_exchange_n((void**)&shelf[seed % SHELF], block, __ATOMIC_ACQ_REL));
  for (int i = 0; i < 2000; ++i) seed = seed * 2862933555777941757UL + 3037000493UL;
  return seed;
}

static void* worker(void* argument) {
  unsigned long seed = (unsigned long)argument;
  for (unsigned long round = 0;; ++round) {
    seed = burn(seed, (int)(seed % 40));
    if (round % 512 == 0) {
      void* map = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (map != MAP_FAILED) munmap(map, 1 << 16);
    }
  }
  return NULL;
}

int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, worker, (void*)7UL)) return 1;
  for (unsigned long seed = 1;; ++seed) {
    for (int i = 0; i < 2000; ++i) burn(seed * (unsigned long)i, (int)(i % 30));
    pid_t child = fork();
    if (child == 0) {
      free(malloc(100000));
      _exit(0);
    }
    if (child > 0) waitpid(child, NULL, 0);
  }
}
