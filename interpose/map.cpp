// mmap, munmap, mremap, mprotect.
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/types.h>

#include "agent/heap/mappings.hpp"
#include "agent/sample/alternate.hpp"
#include "agent/sample/given_stack.hpp"
#include "agent/unwind/second_mapping.hpp"
#include "agent/wait/call.hpp"
#include "interpose/hook/hook.hpp"

PROF_REAL(mmap);
PROF_REAL(mmap64);
PROF_REAL(munmap);
PROF_REAL(mremap);
PROF_REAL(mprotect);

using prof::RealCall;

// Where the program has code of a file mapped twice, what becomes of that is followed.
static inline void may_be_gone(void* start, size_t length) {
  if (prof::second_mapping::known.load(std::memory_order_relaxed) != 0) [[unlikely]]
    prof::second_mapping::gone(reinterpret_cast<std::uintptr_t>(start), length);
}
[[gnu::noinline, gnu::cold]] static void code_mapped(void* start, size_t length) {
  if (!prof::inside_real_call() && !prof::wait::in_vfork_child())
    prof::second_mapping::mapped(reinterpret_cast<std::uintptr_t>(start), length);
}

template <class Real>
static inline void* map_with(Real& real, void* at, size_t length, int protection, int flags, int fd, off_t offset) {
  void* start;
  {
    const RealCall nested;
    start = real(at, length, protection, flags, fd, offset);
  }
  if (start == MAP_FAILED) return start;
  may_be_gone(start, length);
  if (fd >= 0 && (protection & (PROT_EXEC | PROT_WRITE)) == PROT_EXEC) [[unlikely]]
    code_mapped(start, length);
  const bool reserved = (flags & MAP_ANONYMOUS) != 0 && (protection == PROT_NONE || (flags & MAP_NORESERVE) != 0);
  if (!prof::inside_real_call()) prof::heap::mapped(start, length, reserved);
  return start;
}

PROF_EXPORT void* mmap(void* at, size_t length, int protection, int flags, int fd, off_t offset) noexcept {
  return map_with(real_mmap, at, length, protection, flags, fd, offset);
}

PROF_EXPORT void* mmap64(void* at, size_t length, int protection, int flags, int fd, off64_t offset) noexcept {
  return map_with(real_mmap64, at, length, protection, flags, fd, offset);
}

PROF_EXPORT int munmap(void* start, size_t length) noexcept {
  prof::ticks::alternate_gone(start, length);
  int r;
  const auto before = prof::heap::mappings_so_far();
  {
    const RealCall nested;
    r = real_munmap(start, length);
  }
  // Afterwards, unlike free: the kernel refuses bad ranges.
  if (r == 0) may_be_gone(start, length);
  if (r == 0 && !prof::inside_real_call()) prof::heap::unmapped(start, length, before);
  return r;
}

PROF_EXPORT void* mremap(void* from, size_t old_length, size_t new_length, int flags, ...) noexcept {
  va_list args;
  va_start(args, flags);
  constexpr int kWithAddress = MREMAP_FIXED | MREMAP_DONTUNMAP;  // of the latter it is a hint
  void* wanted = (flags & kWithAddress) != 0 ? va_arg(args, void*) : nullptr;
  va_end(args);
  void* start;
  const auto before = prof::heap::mappings_so_far();
  {
    const RealCall nested;
    start = real_mremap.get()(from, old_length, new_length, flags, wanted);
  }
  if (start != MAP_FAILED) {
    may_be_gone(from, old_length);
    may_be_gone(start, new_length);
  }
  if (start != MAP_FAILED && !prof::inside_real_call())
    prof::heap::remapped(from, old_length, start, new_length, before);
  return start;
}

// How programs that generate code make it executable, which stays writable then: see given_stack.hpp.
PROF_EXPORT int mprotect(void* start, size_t length, int protection) noexcept {
  constexpr int kOwnCode = PROT_READ | PROT_WRITE | PROT_EXEC;
  if ((protection & kOwnCode) == kOwnCode && !prof::ticks::has_own_code() && !prof::wait::in_vfork_child())
    prof::ticks::before_own_code();
  if ((protection & PROT_WRITE) != 0) may_be_gone(start, length);
  return real_mprotect(start, length, protection);
}
