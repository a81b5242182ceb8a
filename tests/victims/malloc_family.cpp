// Uses every member of the malloc family, its failures and its corner cases, a known number of times. Like alloc_exact,
// the difference to a run of 0 rounds is exactly what it prints.
#include <dlfcn.h>
#include <malloc.h>

#include <new>

#include "victim.h"

namespace {

long long allocations, bytes, frees;

void* noted(void* p, std::size_t size) {
  EXPECT(p != nullptr);
  ++allocations;
  bytes += static_cast<long long>(size);
  return p;
}

void release(void* p) {
  free(p);
  ++frees;
}

// A realloc is a new allocation of the new size and a free of the old block.
void* resized(void* p, std::size_t size) {
  ++frees;
  return noted(p, size);
}

void plain() {
  release(noted(malloc(100), 100));
  release(noted(malloc(0), 0));
  release(noted(calloc(7, 11), 77));
  free(nullptr);
}

void reallocated() {
  void* p = noted(realloc(nullptr, 50), 50);
  p = resized(realloc(p, 5000), 5000);
  p = resized(realloc(p, 10), 10);
  p = resized(reallocarray(p, 30, 40), 1200);
  release(p);
  p = noted(reallocarray(nullptr, 3, 5), 15);
  EXPECT(realloc(p, 0) == nullptr);  // glibc: a free
  ++frees;
}

void aligned() {
  release(noted(memalign(256, 300), 300));
  release(noted(aligned_alloc(64, 640), 640));
  release(noted(valloc(5000), 5000));
  release(noted(pvalloc(8192), 8192));
  void* p = nullptr;
  EXPECT(posix_memalign(&p, 4096, 777) == 0);
  EXPECT(reinterpret_cast<uintptr_t>(p) % 4096 == 0);
  release(noted(p, 777));
}

void failing() {
  volatile std::size_t unknown_to_the_compiler = SIZE_MAX / 2;
  const std::size_t huge = unknown_to_the_compiler;
  errno = 0;
  EXPECT(malloc(huge) == nullptr && errno == ENOMEM);
  EXPECT(calloc(huge, 4) == nullptr);
  EXPECT(reallocarray(nullptr, huge, 4) == nullptr);
  void* p = noted(malloc(33), 33);
  memset(p, 5, 33);
  EXPECT(realloc(p, huge) == nullptr);  // the block stays
  EXPECT(static_cast<char*>(p)[32] == 5);
  release(p);
  void* untouched = &p;
  EXPECT(posix_memalign(&untouched, 3, 10) == EINVAL && untouched == &p);
  EXPECT(operator new(huge, std::nothrow) == nullptr);
  bool thrown = false;
  try {
    operator delete(operator new(huge));
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  EXPECT(thrown);
}

// libc allocates these itself, from inside.
void in_libc() {
  release(noted(strdup("twelve chars"), 13));
  release(noted(strndup("twelve chars", 6), 7));
}

void cxx() {
  const auto deleted = [] { ++frees; };
  operator delete(noted(operator new(123), 123)), deleted();
  operator delete (noted(operator new(124), 124), std::size_t{124}), deleted();
  operator delete[](noted(operator new[](125), 125)), deleted();
  operator delete(noted(operator new(126, std::nothrow), 126), std::nothrow), deleted();
  operator delete(noted(operator new(256, std::align_val_t(128)), 256), std::align_val_t(128)), deleted();
}

// C23's sized frees, for those who find them: libc has them from 2.41 on.
void sized_frees() {
  using FreeSized = void (*)(void*, std::size_t);
  using FreeAlignedSized = void (*)(void*, std::size_t, std::size_t);
  const auto free_sized = reinterpret_cast<FreeSized>(dlsym(RTLD_DEFAULT, "free_sized"));
  const auto free_aligned_sized = reinterpret_cast<FreeAlignedSized>(dlsym(RTLD_DEFAULT, "free_aligned_sized"));
  if (free_sized != nullptr) free_sized(noted(malloc(99), 99), 99), ++frees;
  if (free_aligned_sized != nullptr) free_aligned_sized(noted(aligned_alloc(64, 192), 192), 64, 192), ++frees;
}

}  // namespace

int main(int argc, char** argv) {
  dlerror();
  void* exceptions_ready = nullptr;  // the first exception of a thread allocates: let it be in both runs
  try {
    throw 1;
  } catch (int) {
    exceptions_ready = &exceptions_ready;
  }
  EXPECT(exceptions_ready != nullptr);
  const long rounds = argument(argc, argv, 1, 10);
  for (long i = 0; i < rounds; ++i) {
    plain();
    reallocated();
    aligned();
    failing();
    in_libc();
    cxx();
    sized_frees();
  }
  fact("rounds", rounds);
  fact("allocations", allocations);
  fact("bytes", bytes);
  fact("frees", frees);
  return 0;
}
