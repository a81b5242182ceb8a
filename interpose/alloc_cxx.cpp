// operator new and delete. Those of libstdc++ and libc++ come back to malloc and free and are counted there: the
// wrappers then just pass on. Those of a foreign allocator (tcmalloc, jemalloc) do so never, or on slow paths only:
// what they serve themselves is counted here.
#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <new>

#include "agent/core/process.hpp"
#include "agent/heap/heap.hpp"
#include "agent/log/conditions.hpp"
#include "agent/unwind/objects.hpp"
#include "interpose/hook/hook.hpp"

namespace {

using prof::RealCall;
using prof::tls;
namespace heap = prof::heap;

// How the next definition behaves.
enum class Behind : int { Standard, Foreign };

bool name_contains(const char* text, const char* part) {
  for (; *text != '\0'; ++text) {
    std::size_t i = 0;
    while (part[i] != '\0' && text[i] == part[i]) ++i;
    if (part[i] == '\0') return true;
  }
  return false;
}

// libstdc++ may be loaded for an extension only (RTLD_LOCAL), while the extension's calls still bind to us, who stand
// in the global scope: then it is not "next" after us, and is asked for by name.
void* next_operator(const char* name) {
  const RealCall nested;
  void* f = dlsym(RTLD_NEXT, name);
  for (const char* library : {"libstdc++.so.6", "libc++.so.1"}) {
    if (f != nullptr) break;
    void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    f = dlsym(handle, name);
    dlclose(handle);
  }
  if (f == nullptr) dlerror();  // our failure is not the program's
  return f;
}

Behind behind(void* function) {
  prof::Object o{};
  if (!prof::object_at(reinterpret_cast<std::uintptr_t>(function), o)) return Behind::Standard;
  return name_contains(o.name, "libstdc++") || name_contains(o.name, "libc++") ? Behind::Standard : Behind::Foreign;
}

template <class F>
class Operator {
 public:
  constexpr explicit Operator(const char* name) : name_(name) {}
  F* get() {
    F* f = function_.load(std::memory_order_acquire);
    if (f != nullptr) [[likely]]
      return f;
    void* found = next_operator(name_);
    if (found == nullptr) return nullptr;
    foreign_ = behind(found) == Behind::Foreign;
    if (foreign_) prof::note_condition(prof::log::kOwnOperatorNew);
    function_.store(f = reinterpret_cast<F*>(found), std::memory_order_release);
    return f;
  }
  bool foreign() const { return foreign_; }

 private:
  const char* name_;
  std::atomic<F*> function_{nullptr};
  bool foreign_ = false;
};

// A program without any C++ library that still calls operator new has linked it statically, and does not come here; the
// last resort keeps the promise all the same.
void* last_resort(std::size_t bytes) {
  void* block = malloc(bytes == 0 ? 1 : bytes);
  if (block == nullptr) __builtin_trap();
  return block;
}

// How often this thread has been counted for.
inline std::uint64_t calls(std::uint64_t prof::log::ThreadRecord::*counter) {
  const prof::log::ThreadRecord* r = tls.state->record;
  return r != nullptr ? r->*counter : 0;
}

template <class F, class... Rest>
inline void* allocate(Operator<F>& op, std::size_t bytes, Rest... rest) {
  F* f = op.get();
  if (f == nullptr) [[unlikely]]
    return last_resort(bytes);
  if (!op.foreign() || tls.suppressed != 0) return f(bytes, rest...);
  // Some come to malloc after all, on their slow paths: then the block has been counted there. No RealCall, which an
  // exception would leave behind: a failing operator new calls the program's handler and throws.
  const std::uint64_t before = calls(&prof::log::ThreadRecord::allocations);
  void* block = f(bytes, rest...);
  if (block != nullptr && calls(&prof::log::ThreadRecord::allocations) == before) heap::allocated(block, bytes);
  return block;
}

template <class F, class... Rest>
inline void release(Operator<F>& op, void* block, Rest... rest) {
  F* f = op.get();
  if (f == nullptr) [[unlikely]]
    return free(block);
  if (!op.foreign() || block == nullptr || tls.suppressed != 0) return f(block, rest...);
  const heap::Moving m = heap::moving(block);
  const std::uint64_t before = calls(&prof::log::ThreadRecord::frees);
  f(block, rest...);
  heap::freed(m, calls(&prof::log::ThreadRecord::frees) != before);
}

}  // namespace

#define PROF_NEW(symbol, ...) \
  static constinit Operator<void*(std::size_t __VA_OPT__(, ) __VA_ARGS__)> g_##symbol{#symbol};
#define PROF_DELETE(symbol, ...) static constinit Operator<void(void* __VA_OPT__(, ) __VA_ARGS__)> g_##symbol{#symbol};

using Align = std::align_val_t;
using NoThrow = const std::nothrow_t&;

// Mangled names of the Itanium C++ ABI: nw/na = new/new[], dl/da = delete/delete[], m = size_t.
PROF_NEW(_Znwm)
PROF_NEW(_Znam)
PROF_NEW(_ZnwmRKSt9nothrow_t, NoThrow)
PROF_NEW(_ZnamRKSt9nothrow_t, NoThrow)
PROF_NEW(_ZnwmSt11align_val_t, Align)
PROF_NEW(_ZnamSt11align_val_t, Align)
PROF_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, Align, NoThrow)
PROF_NEW(_ZnamSt11align_val_tRKSt9nothrow_t, Align, NoThrow)
PROF_DELETE(_ZdlPv)
PROF_DELETE(_ZdaPv)
PROF_DELETE(_ZdlPvm, std::size_t)
PROF_DELETE(_ZdaPvm, std::size_t)
PROF_DELETE(_ZdlPvRKSt9nothrow_t, NoThrow)
PROF_DELETE(_ZdaPvRKSt9nothrow_t, NoThrow)
PROF_DELETE(_ZdlPvSt11align_val_t, Align)
PROF_DELETE(_ZdaPvSt11align_val_t, Align)
PROF_DELETE(_ZdlPvmSt11align_val_t, std::size_t, Align)
PROF_DELETE(_ZdaPvmSt11align_val_t, std::size_t, Align)
PROF_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, Align, NoThrow)
PROF_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, Align, NoThrow)

PROF_EXPORT void* _Znwm(std::size_t n) { return allocate(g__Znwm, n); }
PROF_EXPORT void* _Znam(std::size_t n) { return allocate(g__Znam, n); }
PROF_EXPORT void* _ZnwmRKSt9nothrow_t(std::size_t n, NoThrow t) {
  return allocate<void*(std::size_t, NoThrow), NoThrow>(g__ZnwmRKSt9nothrow_t, n, t);
}
PROF_EXPORT void* _ZnamRKSt9nothrow_t(std::size_t n, NoThrow t) {
  return allocate<void*(std::size_t, NoThrow), NoThrow>(g__ZnamRKSt9nothrow_t, n, t);
}
PROF_EXPORT void* _ZnwmSt11align_val_t(std::size_t n, Align a) { return allocate(g__ZnwmSt11align_val_t, n, a); }
PROF_EXPORT void* _ZnamSt11align_val_t(std::size_t n, Align a) { return allocate(g__ZnamSt11align_val_t, n, a); }
PROF_EXPORT void* _ZnwmSt11align_val_tRKSt9nothrow_t(std::size_t n, Align a, NoThrow t) {
  return allocate<void*(std::size_t, Align, NoThrow), Align, NoThrow>(g__ZnwmSt11align_val_tRKSt9nothrow_t, n, a, t);
}
PROF_EXPORT void* _ZnamSt11align_val_tRKSt9nothrow_t(std::size_t n, Align a, NoThrow t) {
  return allocate<void*(std::size_t, Align, NoThrow), Align, NoThrow>(g__ZnamSt11align_val_tRKSt9nothrow_t, n, a, t);
}

PROF_EXPORT void _ZdlPv(void* p) { release(g__ZdlPv, p); }
PROF_EXPORT void _ZdaPv(void* p) { release(g__ZdaPv, p); }
PROF_EXPORT void _ZdlPvm(void* p, std::size_t n) { release(g__ZdlPvm, p, n); }
PROF_EXPORT void _ZdaPvm(void* p, std::size_t n) { release(g__ZdaPvm, p, n); }
PROF_EXPORT void _ZdlPvRKSt9nothrow_t(void* p, NoThrow t) {
  release<void(void*, NoThrow), NoThrow>(g__ZdlPvRKSt9nothrow_t, p, t);
}
PROF_EXPORT void _ZdaPvRKSt9nothrow_t(void* p, NoThrow t) {
  release<void(void*, NoThrow), NoThrow>(g__ZdaPvRKSt9nothrow_t, p, t);
}
PROF_EXPORT void _ZdlPvSt11align_val_t(void* p, Align a) { release(g__ZdlPvSt11align_val_t, p, a); }
PROF_EXPORT void _ZdaPvSt11align_val_t(void* p, Align a) { release(g__ZdaPvSt11align_val_t, p, a); }
PROF_EXPORT void _ZdlPvmSt11align_val_t(void* p, std::size_t n, Align a) { release(g__ZdlPvmSt11align_val_t, p, n, a); }
PROF_EXPORT void _ZdaPvmSt11align_val_t(void* p, std::size_t n, Align a) { release(g__ZdaPvmSt11align_val_t, p, n, a); }
PROF_EXPORT void _ZdlPvSt11align_val_tRKSt9nothrow_t(void* p, Align a, NoThrow t) {
  release<void(void*, Align, NoThrow), Align, NoThrow>(g__ZdlPvSt11align_val_tRKSt9nothrow_t, p, a, t);
}
PROF_EXPORT void _ZdaPvSt11align_val_tRKSt9nothrow_t(void* p, Align a, NoThrow t) {
  release<void(void*, Align, NoThrow), Align, NoThrow>(g__ZdaPvSt11align_val_tRKSt9nothrow_t, p, a, t);
}
