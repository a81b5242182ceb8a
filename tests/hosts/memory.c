// Allocations of all kinds, by the thread that frees them and by others; mappings; copies.
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/hosts/host.h"

static size_t some_size(struct step* s) {
  switch (below(s, 8)) {
    case 0:
      return between(s, 0, 16);
    case 1:
      return between(s, 64 << 10, 512 << 10);
    case 2:
      return between(s, 1 << 20, 3 << 20);
    case 3:
      return between(s, 4096, 16384);
    default:
      return between(s, 1, 1024);
  }
}

static void* allocate_some(struct step* s, size_t size) {
  void* block = NULL;
  size_t alignment = (size_t)16 << below(s, 9);
  switch (below(s, 9)) {
    case 0: {
      unsigned char* zero = calloc(1 + size / 8, 8);
      CHECK(zero != NULL);
      CHECK(zero[0] == 0 && zero[size / 2] == 0 && zero[size / 8 * 8 + 7] == 0);
      return zero;
    }
    case 1:
      block = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment + alignment);
      CHECK((uintptr_t)block % alignment == 0);
      break;
    case 2:
      CHECK(posix_memalign(&block, alignment, size + 1) == 0);
      CHECK((uintptr_t)block % alignment == 0);
      break;
    case 3:
      block = realloc(NULL, size + 1);
      break;
    case 4:
      block = reallocarray(NULL, size / 7 + 1, 7);
      break;
    case 5:
      block = memalign(alignment, size + 1);
      CHECK((uintptr_t)block % alignment == 0);
      break;
    case 6:
      block = valloc(size + 1);
      CHECK((uintptr_t)block % 4096 == 0);
      break;
    default:
      block = malloc(size + 1);
      break;
  }
  CHECK(block != NULL);
  return block;
}

void allocate_operation(struct step* s) {
  enum { count = 24 };
  void* blocks[count] = {0};
  size_t sizes[count] = {0};
  for (int i = 0; i < 64; ++i) {
    const size_t k = below(s, count);
    if (blocks[k] && once_in(s, 3)) {
      const size_t size = some_size(s), kept = size < sizes[k] ? size : sizes[k];
      const size_t seen = kept < 512 ? kept : 512;
      blocks[k] = realloc(blocks[k], size + 1);
      CHECK(blocks[k] != NULL && filled(blocks[k], seen, k));
      sizes[k] = size;
    } else if (blocks[k]) {
      CHECK(filled(blocks[k], sizes[k] < 512 ? sizes[k] : 512, k));
      CHECK(malloc_usable_size(blocks[k]) >= sizes[k]);
      free(blocks[k]);
      blocks[k] = NULL;
      continue;
    } else {
      sizes[k] = some_size(s);
      blocks[k] = allocate_some(s, sizes[k]);
    }
    fill(blocks[k], sizes[k] < 512 ? sizes[k] : 512, k);
    fold(s, sizes[k]);
  }
  errno = 0;
  void* none = malloc((size_t)PTRDIFF_MAX + 1 + below(s, 4096));
  CHECK(none == NULL && errno == ENOMEM);
  if (once_in(s, 8)) malloc_trim(0);
  for (int k = 0; k < count; ++k) {
    errno = EXDEV;
    free(blocks[k]);
    CHECK(errno == EXDEV);
  }
}

struct parcel {
  size_t size;
  uint64_t seed;
  unsigned char bytes[];
};
static _Atomic(struct parcel*) counter_top[32];  // where parcels lie until somebody takes them

// Blocks that one thread allocates and another frees.
void exchange_operation(struct step* s) {
  for (int i = 0; i < 40; ++i) {
    const size_t size = between(s, 1, once_in(s, 16) ? 200000 : 2000);
    struct parcel* mine = malloc(sizeof(*mine) + size);
    CHECK(mine != NULL);
    mine->size = size;
    mine->seed = draw(s);
    fold(s, mine->seed);
    fill(mine->bytes, size, mine->seed);
    struct parcel* theirs = atomic_exchange(&counter_top[below(s, 32)], mine);
    if (!theirs) continue;
    CHECK(filled(theirs->bytes, theirs->size, theirs->seed));
    if (theirs->size % 3 == 0) {
      struct parcel* moved = realloc(theirs, sizeof(*theirs) + theirs->size * 2);
      CHECK(moved != NULL && filled(moved->bytes, moved->size, moved->seed));
      theirs = moved;
    }
    free(theirs);
  }
}

void map_operation(struct step* s) {
  enum { count = 8 };
  const size_t page = 4096;
  for (int i = 0; i < 12; ++i) {
    unsigned char* at[count];
    size_t pages[count];
    for (int k = 0; k < count; ++k) {
      pages[k] = between(s, 1, once_in(s, 8) ? 300 : 16);
      const int shared = once_in(s, 4) ? MAP_SHARED : MAP_PRIVATE;
      at[k] = mmap(NULL, pages[k] * page, PROT_READ | PROT_WRITE, shared | MAP_ANONYMOUS, -1, 0);
      CHECK(at[k] != MAP_FAILED && at[k][pages[k] * page - 1] == 0);
      fill(at[k], 64, k);
      fold(s, pages[k]);
    }
    for (int k = 0; k < count; ++k) {
      CHECK(filled(at[k], 64, k));
      if (once_in(s, 3)) {
        CHECK(mprotect(at[k], page, PROT_READ) == 0);
        CHECK(mprotect(at[k], pages[k] * page, PROT_NONE) == 0);
      } else if (once_in(s, 3)) {
        CHECK(madvise(at[k], pages[k] * page, MADV_DONTNEED) == 0);
      } else if (pages[k] > 2 && once_in(s, 2)) {
        // A hole in the middle, which somebody else may take: the two that are left go one by one.
        CHECK(munmap(at[k] + page, page) == 0);
        CHECK(munmap(at[k] + 2 * page, (pages[k] - 2) * page) == 0);
        pages[k] = 1;
      }
      CHECK(munmap(at[k], pages[k] * page) == 0);
    }
  }
  errno = 0;
  CHECK(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == EINVAL);
  errno = 0;
  CHECK(munmap((void*)1, page) == -1 && errno == EINVAL);
}

void remap_operation(struct step* s) {
  const size_t page = 4096;
  size_t pages = between(s, 1, 20);
  char* at = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(at != MAP_FAILED);
  fill(at, page, 7);
  for (int i = 0; i < 20; ++i) {
    const size_t wanted = between(s, 1, 200);
    if (once_in(s, 4)) {
      // Onto a place that is taken before: what lay there goes.
      char* place = mmap(NULL, wanted * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      CHECK(place != MAP_FAILED);
      CHECK(mremap(at, pages * page, wanted * page, MREMAP_MAYMOVE | MREMAP_FIXED, place) == place);
      at = place;
    } else {
      at = mremap(at, pages * page, wanted * page, MREMAP_MAYMOVE);
      CHECK(at != MAP_FAILED);
    }
    pages = wanted;
    CHECK(filled(at, page, 7));
    fold(s, pages);
  }
  CHECK(munmap(at, pages * page) == 0);
}

void copy_operation(struct step* s) {
  const size_t room = once_in(s, 8) ? 2 << 20 : 70000;
  unsigned char* from = malloc(room);
  unsigned char* to = malloc(room);
  CHECK(from && to);
  fill(from, room, 3);
  for (int i = 0; i < 60; ++i) {
    const size_t size = once_in(s, 10) ? below(s, room) : below(s, 300), offset = below(s, room - size);
    switch (below(s, 5)) {
      case 0:
        CHECK(memmove(from, from, size) == from);
        break;
      case 1:
        CHECK(memset(to, (int)size, size) == to);
        break;
      case 2: {
        const size_t length = below(s, 200);
        memset(to, 'x', length);
        to[length] = 0;
        CHECK(strcpy((char*)to + 300, (char*)to) == (char*)to + 300 && strlen((char*)to + 300) == length);
        break;
      }
      case 3: {
        // Overlapping, in both directions.
        fill(to, room, 3);
        memmove(to + offset / 2, to + offset, size);
        CHECK(size == 0 || to[offset / 2 + size - 1] == from[offset + size - 1]);
        break;
      }
      default:
        CHECK(memcpy(to + offset, from + offset, size) == to + offset);
        CHECK(memcmp(to + offset, from + offset, size) == 0);
        break;
    }
    fold(s, size);
  }
  free(from);
  free(to);
}
