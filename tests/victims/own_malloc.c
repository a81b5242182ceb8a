// A program that brings its own malloc, as some databases do: everybody's allocations are its own.
#include "victim.h"

static char arena[64 << 20];
static size_t used;

void* malloc(size_t size) {
  const size_t need = (size + 31) / 16 * 16;
  const size_t at = __atomic_fetch_add(&used, need, __ATOMIC_RELAXED);
  if (at + need > sizeof arena) return NULL;
  *(size_t*)(arena + at) = size;
  return arena + at + 16;
}
void free(void* p) {
  // Only blocks of this arena may come here.
  if (p != NULL && ((char*)p < arena || (char*)p >= arena + sizeof arena)) {
    dprintf(2, "a stranger's block\n");
    _exit(VICTIM_FAILED);
  }
}
void* calloc(size_t n, size_t size) { return malloc(n * size); }
void* realloc(void* p, size_t size) {
  void* q = malloc(size);
  if (q != NULL && p != NULL) memcpy(q, p, size < ((size_t*)p)[-2] ? size : ((size_t*)p)[-2]);
  return q;
}

static void* work(void* unused) {
  for (int i = 0; i < 1000; ++i) {
    void* p = malloc(100);
    EXPECT((char*)p >= arena && (char*)p < arena + sizeof arena);
    free(p);
  }
  burn_ms(50);
  return unused;
}

int main(void) {
  pthread_t t;
  EXPECT(pthread_create(&t, NULL, work, NULL) == 0 && pthread_join(t, NULL) == 0);
  char* copy = strdup("copied");
  EXPECT(copy >= arena && copy < arena + sizeof arena);
  free(copy);
  FILE* f = fopen("/proc/self/maps", "r");
  EXPECT(f != NULL);
  fclose(f);
  fact("fine", 1);
  return 0;
}
