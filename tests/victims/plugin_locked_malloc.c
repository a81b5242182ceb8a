// To be preloaded: an allocator that holds one lock while it asks the kernel for memory, and does not forgive to be
// called again meanwhile.
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "victim.h"

enum { kRoom = 1 << 20, kAlign = 16 };

static atomic_flag held = ATOMIC_FLAG_INIT;
static char *at, *end;

static void* take(size_t bytes) {
  while (atomic_flag_test_and_set(&held)) {
  }
  bytes = (bytes + 2 * kAlign - 1) / kAlign * kAlign;
  if (at == NULL || (size_t)(end - at) < bytes) {
    const size_t room = bytes > kRoom ? bytes : kRoom;
    at = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) _exit(VICTIM_FAILED);
    end = at + room;
  }
  char* const block = at + kAlign;
  *(size_t*)at = bytes - kAlign;
  at += bytes;
  atomic_flag_clear(&held);
  return block;
}

void* malloc(size_t bytes) { return take(bytes); }
void free(void* block) { (void)block; }
void* calloc(size_t n, size_t bytes) { return take(n * bytes); }
void* realloc(void* old, size_t bytes) {
  char* const block = take(bytes);
  if (old != NULL) {
    const size_t had = ((size_t*)old)[-2];
    memcpy(block, old, had < bytes ? had : bytes);
  }
  return block;
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  char* const block = take(bytes + alignment);
  return block + (alignment - (size_t)block % alignment) % alignment;
}
void* memalign(size_t alignment, size_t bytes) { return aligned_alloc(alignment, bytes); }
int posix_memalign(void** to, size_t alignment, size_t bytes) {
  *to = aligned_alloc(alignment, bytes);
  return 0;
}
size_t malloc_usable_size(void* block) { return ((size_t*)block)[-2]; }
