// The malloc family. Blocks keep their size and place: no header, no tail, whatever allocator is behind.
#include <malloc.h>
#include <stdlib.h>

#include <cstring>

#include "agent/core/pages.hpp"
#include "agent/heap/heap.hpp"
#include "agent/unwind/objects.hpp"
#include "interpose/alloc.hpp"
#include "interpose/hook/hook.hpp"
#include "interpose/in_front.hpp"

PROF_REAL(malloc);
PROF_REAL(calloc);
PROF_REAL(realloc);
PROF_REAL(free);
PROF_REAL(reallocarray);
PROF_REAL(memalign);
PROF_REAL(aligned_alloc);
PROF_REAL(posix_memalign);
PROF_REAL(valloc);
PROF_REAL(pvalloc);
PROF_REAL(malloc_usable_size);
PROF_REAL_AS(free_sized, void(void*, size_t));
PROF_REAL_AS(free_aligned_sized, void(void*, size_t, size_t));
PROF_REAL_AS(cfree, void(void*));

namespace {

using prof::RealCall;
namespace heap = prof::heap;

// Serves what dlsym allocates while the real allocator is being looked up: nothing else can yet. Never given back.
class Bootstrap {
 public:
  static void* take(size_t bytes, size_t alignment) {
    size_t at = __atomic_load_n(&used_, __ATOMIC_RELAXED), start = 0;
    do {
      start = (at + alignment - 1) & ~(alignment - 1);
      if (bytes > sizeof(pool_) || start + bytes > sizeof(pool_)) return nullptr;
    } while (!__atomic_compare_exchange_n(&used_, &at, start + bytes, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return pool_ + start;
  }
  static bool owns(const void* p) {
    return reinterpret_cast<uintptr_t>(p) - reinterpret_cast<uintptr_t>(pool_) < sizeof(pool_);
  }

 private:
  alignas(64) static char pool_[16 << 10];
  static size_t used_;
};
alignas(64) PROF_LARGE constinit char Bootstrap::pool_[16 << 10]{};
constinit size_t Bootstrap::used_ = 0;

// The first allocation of the process looks the four basic functions up under the flag; everything nested goes to the
// pool. If it comes to us first, nobody holds an allocator's lock here, and the agent may start, which allocates.
__attribute__((noinline)) void look_up() {
  prof::tls.looking_up = true;
  real_free.resolve();
  real_calloc.resolve();
  real_realloc.resolve();
  real_malloc.resolve();
  if (prof::comes_to_us("malloc")) prof::process().starts_at_allocations = true;
  prof::tls.looking_up = false;
}

__attribute__((noinline)) bool become_ready() {
  if (prof::tls.looking_up) return false;
  look_up();
  return true;
}

// Whether the basic functions are known: one load on the hot path. look_up resolves malloc last.
inline bool ready() { return real_malloc.known() != nullptr || become_ready(); }

// An allocator may come to interposed functions itself, which must then be told by a RealCall: all but glibc's own,
// which calls the kernel's mmap and the like past everybody. Of that one the two hot functions stand here once the
// library is loaded; null else.
struct Plain {
  void* (*allocate)(size_t);
  void (*release)(void*);
};
constinit Plain g_plain{};

inline void* counted(void* block, size_t bytes) {
  if (block != nullptr && prof::programs_own()) heap::allocated(block, bytes);
  return block;
}

}  // namespace

namespace prof {

void know_allocator() {
  Object o{};
  const auto address = reinterpret_cast<uintptr_t>(real_malloc.get());
  if (!object_at(address, o)) return;
  const char* name = strrchr(o.name, '/');
  if (strcmp(name != nullptr ? name + 1 : o.name, "libc.so.6") == 0) g_plain = {real_malloc.get(), real_free.get()};
}

}  // namespace prof

PROF_EXPORT void* malloc(size_t bytes) noexcept {
  if (g_plain.allocate != nullptr) [[likely]]
    return counted(g_plain.allocate(bytes), bytes);
  if (!ready()) [[unlikely]]
    return Bootstrap::take(bytes, 16);
  void* block;
  {
    const RealCall nested;
    block = real_malloc.known()(bytes);
  }
  return counted(block, bytes);
}

PROF_EXPORT void free(void* block) noexcept {
  if (block == nullptr || Bootstrap::owns(block) || !ready()) [[unlikely]]
    return;
  // Counted before the block is given back: afterwards another thread may have it.
  if (prof::programs_own()) heap::freeing(block);
  if (g_plain.release != nullptr) [[likely]]
    return g_plain.release(block);
  const RealCall nested;
  real_free.known()(block);
}

PROF_EXPORT void* calloc(size_t n, size_t bytes) noexcept {
  if (!ready()) [[unlikely]]
    return Bootstrap::take(n * bytes, 16);
  void* block;
  {
    const RealCall nested;
    block = real_calloc.known()(n, bytes);
  }
  return counted(block, n * bytes);
}

// realloc and reallocarray: `call` performs the real one.
template <class Call>
static inline void* reallocated(void* old, size_t bytes, Call call) {
  if (Bootstrap::owns(old)) [[unlikely]] {
    void* fresh = malloc(bytes);
    if (fresh != nullptr) memcpy(fresh, old, bytes < 1024 ? bytes : 1024);
    return fresh;
  }
  if (old == nullptr || !prof::programs_own()) {
    void* block;
    {
      const RealCall nested;
      block = call();
    }
    return old == nullptr ? counted(block, bytes) : block;
  }
  const heap::Moving m = heap::moving(old);
  void* block;
  {
    const RealCall nested;
    block = call();
  }
  if (block == nullptr && bytes != 0)
    heap::not_moved(m);
  else
    heap::moved(m, block, bytes);
  return block;
}

PROF_EXPORT void* realloc(void* old, size_t bytes) noexcept {
  if (!ready()) [[unlikely]]
    return Bootstrap::take(bytes, 16);
  return reallocated(old, bytes, [=] { return real_realloc.known()(old, bytes); });
}

PROF_EXPORT void* reallocarray(void* old, size_t n, size_t bytes) noexcept {
  if (!ready()) [[unlikely]]
    return nullptr;
  size_t total = 0;
  const bool overflow = __builtin_mul_overflow(n, bytes, &total);
  // An overflow is the real function's to refuse; it keeps the old block then, whatever the product says.
  return reallocated(old, overflow ? SIZE_MAX : total, [=] { return real_reallocarray(old, n, bytes); });
}

PROF_EXPORT void* memalign(size_t alignment, size_t bytes) noexcept {
  if (!ready()) [[unlikely]]
    return Bootstrap::take(bytes, alignment);
  void* block;
  {
    const RealCall nested;
    block = real_memalign(alignment, bytes);
  }
  return counted(block, bytes);
}

PROF_EXPORT void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
  if (!ready()) [[unlikely]]
    return Bootstrap::take(bytes, alignment);
  void* block;
  {
    const RealCall nested;
    block = real_aligned_alloc(alignment, bytes);
  }
  return counted(block, bytes);
}

PROF_EXPORT int posix_memalign(void** out, size_t alignment, size_t bytes) noexcept {
  if (!ready()) [[unlikely]]
    return (*out = Bootstrap::take(bytes, alignment)) == nullptr ? ENOMEM : 0;
  int error;
  {
    const RealCall nested;
    error = real_posix_memalign(out, alignment, bytes);
  }
  if (error == 0) counted(*out, bytes);
  return error;
}

PROF_EXPORT void* valloc(size_t bytes) noexcept {
  if (!ready()) [[unlikely]]
    return Bootstrap::take(bytes, 4096);
  void* block;
  {
    const RealCall nested;
    block = real_valloc(bytes);
  }
  return counted(block, bytes);
}

PROF_EXPORT void* pvalloc(size_t bytes) noexcept {
  if (!ready()) [[unlikely]]
    return Bootstrap::take((bytes + 4095) & ~size_t{4095}, 4096);
  void* block;
  {
    const RealCall nested;
    block = real_pvalloc(bytes);
  }
  return counted(block, bytes);
}

PROF_EXPORT size_t malloc_usable_size(void* block) noexcept {
  if (block == nullptr || Bootstrap::owns(block)) return 0;
  return real_malloc_usable_size(block);
}

PROF_EXPORT void cfree(void* block) noexcept { free(block); }

// C23; where the allocator behind has none of its own, the size is only a hint that nobody needs.
PROF_EXPORT void free_sized(void* block, size_t bytes) noexcept {
  void (*real_function)(void*, size_t) = real_free_sized.get();
  if (real_function == nullptr) return free(block);
  if (block == nullptr) return;
  if (prof::programs_own()) heap::freeing(block);
  const RealCall nested;
  real_function(block, bytes);
}

PROF_EXPORT void free_aligned_sized(void* block, size_t alignment, size_t bytes) noexcept {
  void (*real_function)(void*, size_t, size_t) = real_free_aligned_sized.get();
  if (real_function == nullptr) return free(block);
  if (block == nullptr) return;
  if (prof::programs_own()) heap::freeing(block);
  const RealCall nested;
  real_function(block, alignment, bytes);
}
