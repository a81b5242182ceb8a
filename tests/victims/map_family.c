// Maps, unmaps in part, grows, moves and replaces mappings, and knows what is left.
#include "victim.h"

#define MIB (1L << 20)

static char* reserve(long bytes) {
  void* p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(p != MAP_FAILED);
  return p;
}

// 64 MiB with a hole of 16 in the middle and 8 gone from the end: 40 stay.
void map_holes(void) {
  char* p = reserve(64 * MIB);
  EXPECT(munmap(p + 16 * MIB, 16 * MIB) == 0);
  EXPECT(munmap(p + 56 * MIB, 8 * MIB) == 0);
}

// 16 MiB grow to 48 and shrink to 32: 32 stay.
void map_resize(void) {
  char* p = reserve(16 * MIB);
  p = mremap(p, 16 * MIB, 48 * MIB, MREMAP_MAYMOVE);
  EXPECT(p != MAP_FAILED);
  p[47 * MIB] = 1;
  EXPECT(mremap(p, 48 * MIB, 32 * MIB, 0) == p);
}

// 24 MiB, of which 8 are mapped anew in place: 24 stay.
void map_over(void) {
  char* p = reserve(24 * MIB);
  EXPECT(mmap(p + 8 * MIB, 8 * MIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == p + 8 * MIB);
}

// Mapped and wholly gone: one munmap over two neighbours made by two calls.
void map_nothing(void) {
  char* p = reserve(32 * MIB);
  EXPECT(mmap(p + 16 * MIB, 16 * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == p + 16 * MIB);
  EXPECT(munmap(p, 32 * MIB) == 0);
}

// Moved to where it was asked for, and unmapped by three calls: nothing stays.
void map_moved(void) {
  char* p = reserve(8 * MIB);
  char* hint = reserve(8 * MIB);
  EXPECT(munmap(hint, 8 * MIB) == 0);
  EXPECT(mremap(p, 8 * MIB, 8 * MIB, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, hint) == hint);
  EXPECT(munmap(p, 8 * MIB) == 0 && munmap(hint, 8 * MIB) == 0);
}

// A gigabyte and four of addresses, of which 8 MiB are made memory and 2 of these reserved again: 6 stay.
void map_reserved(void) {
  char* p = mmap(NULL, 1024 * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char* more = mmap(NULL, 4096 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  EXPECT(p != MAP_FAILED && more != MAP_FAILED);
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  EXPECT(mmap(p + 8 * MIB, 8 * MIB, PROT_READ | PROT_WRITE, flags, -1, 0) == p + 8 * MIB);
  EXPECT(mmap(p + 8 * MIB, 2 * MIB, PROT_NONE, flags, -1, 0) == p + 8 * MIB);
  EXPECT(munmap(more, 4096 * MIB) == 0);
}

// Failures leave no trace.
void map_failures(void) {
  EXPECT(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == EINVAL);
  EXPECT(mmap(NULL, 1L << 60, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
  EXPECT(munmap((void*)1, 4096) == -1 && errno == EINVAL);
  EXPECT(mremap((void*)4096, 4096, 8192, 0) == MAP_FAILED);
}

int main(void) {
  map_holes();
  map_resize();
  map_over();
  map_nothing();
  map_moved();
  map_reserved();
  map_failures();
  return 0;
}
