// Threads map and unmap at the same time, in parts too, while there are as many mappings as the kernel allows, or
// nearly: and know what is left.
#include "victim.h"

#define THREADS 4
#define SLOTS 512

static long rounds;
static long long live[THREADS];

static char* map_pages(long pages, int protection) {
  char* p = mmap(NULL, pages * 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(p != MAP_FAILED);
  return p;
}

void* churn(void* number) {
  struct {
    char* at;
    long pages;
  } slots[SLOTS] = {0};
  uint32_t random = 1 + (uint32_t)(long)number;
  for (long round = 0; round < rounds; ++round) {
    const uint32_t i = next_random(&random) % SLOTS;
    const long pages = slots[i].pages, part = pages == 0 ? 0 : 1 + next_random(&random) % pages;
    const uint32_t what = next_random(&random) % 8;
    if (pages == 0) {
      slots[i].pages = 1 + next_random(&random) % 8;
      slots[i].at = map_pages(slots[i].pages, PROT_READ);
    } else if (what < 2) {  // the head goes
      EXPECT(munmap(slots[i].at, part * 4096) == 0);
      slots[i].at += part * 4096;
      slots[i].pages -= part;
    } else if (what < 4) {  // the tail goes
      EXPECT(munmap(slots[i].at + (pages - part) * 4096, part * 4096) == 0);
      slots[i].pages -= part;
    } else if (what < 5) {  // other memory in the same place
      EXPECT(mmap(slots[i].at, part * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
             slots[i].at);
    } else {
      EXPECT(munmap(slots[i].at, pages * 4096) == 0);
      slots[i].pages = 0;
    }
  }
  for (int i = 0; i < SLOTS; ++i) live[(long)number] += slots[i].pages * 4096;
  return NULL;
}

void hold(long count) {
  for (long i = 0; i < count; ++i) map_pages(1, i & 1 ? PROT_READ : PROT_READ | PROT_WRITE);
}

int main(int argc, char** argv) {
  const long held = argument(argc, argv, 1, 55000);
  rounds = argument(argc, argv, 2, 100000);
  hold(held);
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; ++i) EXPECT(pthread_create(&threads[i], NULL, churn, (void*)i) == 0);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  long long left = 0;
  for (int i = 0; i < THREADS; ++i) left += live[i];
  fact("held", held * 4096);
  fact("left", left);
  return 0;
}
