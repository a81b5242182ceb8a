// memcpy, memmove, strcpy and their families.
//
// Each exported function is a jump through a variable of its own, which is null at first: it needs no relocation and no
// thread-local storage. Everything in this file must be compiled without the compiler's ideas of what such a function
// is (see agent/CMakeLists.txt): it would have each call itself.
#include "interpose/copy.hpp"

#include <string.h>
#include <wchar.h>

#include "agent/copy/copy.hpp"
#include "interpose/copy_bytes.hpp"
#include "interpose/hook/hook.hpp"

PROF_REAL(memmove);
PROF_REAL(mempcpy);
PROF_REAL(wmemcpy);
PROF_REAL(wmemmove);
PROF_REAL(strcpy);
PROF_REAL(stpcpy);
PROF_REAL(strncpy);
PROF_REAL(stpncpy);
PROF_REAL(strcat);
PROF_REAL_AS(__memcpy_chk, void*(void*, const void*, size_t, size_t));
PROF_REAL_AS(__memmove_chk, void*(void*, const void*, size_t, size_t));
PROF_REAL_AS(__mempcpy_chk, void*(void*, const void*, size_t, size_t));
PROF_REAL_AS(__strcpy_chk, char*(char*, const char*, size_t));
PROF_REAL_AS(__stpcpy_chk, char*(char*, const char*, size_t));
PROF_REAL_AS(__strncpy_chk, char*(char*, const char*, size_t, size_t));
PROF_REAL_AS(__stpncpy_chk, char*(char*, const char*, size_t, size_t));
PROF_REAL_AS(__strcat_chk, char*(char*, const char*, size_t));

namespace {

namespace copy = prof::copy;
using namespace prof::bytes;

// A copy whose size is known goes on to the real function by a jump: it needs no stack, and neither does this.
template <auto& kReal, size_t kUnit, class R, class T, class... Room>
[[gnu::noinline]] R sized_slowly(T* to, const T* from, size_t n, Room... room) {
  copy::count_slowly(n * kUnit);
  return kReal.known()(to, from, n, room...);
}
template <auto& kReal, size_t kUnit, class R, class T, class... Room>
R sized(T* to, const T* from, size_t n, Room... room) {
  if (!copy::counted(n * kUnit)) [[unlikely]]
    return sized_slowly<kReal, kUnit, R>(to, from, n, room...);
  return kReal.known()(to, from, n, room...);
}

// Texts are measured by their copy: the function that returns the end is as fast as the one that does not.
char* text_copied(char* to, const char* end, size_t more) {
  const size_t bytes = static_cast<size_t>(end - to) + more;
  if (!copy::counted(bytes)) [[unlikely]]
    copy::count_slowly(bytes);
  return to;
}
char* counted_stpcpy(char* to, const char* from) {
  char* end = real_stpcpy.known()(to, from);
  text_copied(to, end, 1);
  return end;
}
char* counted_strcpy(char* to, const char* from) { return text_copied(to, real_stpcpy.known()(to, from), 1); }
char* counted_stpncpy(char* to, const char* from, size_t n) {
  char* end = real_stpncpy.known()(to, from, n);
  text_copied(to, end, 0);
  return end;
}
char* counted_strncpy(char* to, const char* from, size_t n) {
  return text_copied(to, real_stpncpy.known()(to, from, n), 0);
}
// As libc does it: to the end of the one text, and from there a copy, which says where it ends.
char* counted_strcat(char* to, const char* from) {
  char* const at = to + strlen(to);
  text_copied(at, real_stpcpy.known()(at, from), 1);
  return to;
}
char* counted_stpcpy_chk(char* to, const char* from, size_t room) {
  char* end = real___stpcpy_chk.known()(to, from, room);
  text_copied(to, end, 1);
  return end;
}
char* counted_strcpy_chk(char* to, const char* from, size_t room) {
  return text_copied(to, real___stpcpy_chk.known()(to, from, room), 1);
}
char* counted_stpncpy_chk(char* to, const char* from, size_t n, size_t room) {
  char* end = real___stpncpy_chk.known()(to, from, n, room);
  text_copied(to, end, 0);
  return end;
}
char* counted_strncpy_chk(char* to, const char* from, size_t n, size_t room) {
  return text_copied(to, real___stpncpy_chk.known()(to, from, n, room), 0);
}
char* counted_strcat_chk(char* to, const char* from, size_t room) {
  const size_t before = strlen(to);
  if (before >= room) return real___strcat_chk.known()(to, from, room);  // which ends the program
  char* const at = to + before;
  text_copied(at, real___stpcpy_chk.known()(at, from, room - before), 1);
  return to;
}

// How the exported functions go on; null: they do it themselves.
struct Ways {
  void* (*memmove)(void*, const void*, size_t);
  void* (*mempcpy)(void*, const void*, size_t);
  void* (*memcpy_chk)(void*, const void*, size_t, size_t);
  void* (*memmove_chk)(void*, const void*, size_t, size_t);
  void* (*mempcpy_chk)(void*, const void*, size_t, size_t);
  wchar_t* (*wmemcpy)(wchar_t*, const wchar_t*, size_t);
  wchar_t* (*wmemmove)(wchar_t*, const wchar_t*, size_t);
  char* (*strcpy)(char*, const char*);
  char* (*stpcpy)(char*, const char*);
  char* (*strncpy)(char*, const char*, size_t);
  char* (*stpncpy)(char*, const char*, size_t);
  char* (*strcat)(char*, const char*);
  char* (*strcpy_chk)(char*, const char*, size_t);
  char* (*stpcpy_chk)(char*, const char*, size_t);
  char* (*strncpy_chk)(char*, const char*, size_t, size_t);
  char* (*stpncpy_chk)(char*, const char*, size_t, size_t);
  char* (*strcat_chk)(char*, const char*, size_t);
};
constinit Ways g_ways{};

}  // namespace

namespace prof {

void begin_copies(bool counted) {
  // A name that this libc lacks leads nowhere, and its way stays null.
  const auto choose = [counted](auto& way, auto& real, auto counting) {
    const auto straight = real.get();
    if (straight != nullptr) way = counted ? counting : straight;
  };
  Ways& w = g_ways;
  choose(w.memmove, real_memmove, &sized<real_memmove, 1, void*, void>);
  choose(w.mempcpy, real_mempcpy, &sized<real_mempcpy, 1, void*, void>);
  choose(w.memcpy_chk, real___memcpy_chk, &sized<real___memcpy_chk, 1, void*, void, size_t>);
  choose(w.memmove_chk, real___memmove_chk, &sized<real___memmove_chk, 1, void*, void, size_t>);
  choose(w.mempcpy_chk, real___mempcpy_chk, &sized<real___mempcpy_chk, 1, void*, void, size_t>);
  choose(w.wmemcpy, real_wmemcpy, &sized<real_wmemcpy, sizeof(wchar_t), wchar_t*, wchar_t>);
  choose(w.wmemmove, real_wmemmove, &sized<real_wmemmove, sizeof(wchar_t), wchar_t*, wchar_t>);
  choose(w.strcpy, real_strcpy, &counted_strcpy);
  choose(w.stpcpy, real_stpcpy, &counted_stpcpy);
  choose(w.strncpy, real_strncpy, &counted_strncpy);
  choose(w.stpncpy, real_stpncpy, &counted_stpncpy);
  choose(w.strcat, real_strcat, &counted_strcat);
  choose(w.strcpy_chk, real___strcpy_chk, &counted_strcpy_chk);
  choose(w.stpcpy_chk, real___stpcpy_chk, &counted_stpcpy_chk);
  choose(w.strncpy_chk, real___strncpy_chk, &counted_strncpy_chk);
  choose(w.stpncpy_chk, real___stpncpy_chk, &counted_stpncpy_chk);
  choose(w.strcat_chk, real___strcat_chk, &counted_strcat_chk);
}

}  // namespace prof

// What the agent's own code calls instead (CMake: --wrap): nothing of it is counted.
extern "C" __attribute__((visibility("hidden"))) void* __wrap_memmove(void* to, const void* from, size_t n) {
  void* (*real)(void*, const void*, size_t) = real_memmove.known();
  return real != nullptr ? real(to, from, n) : move_bytes(to, from, n);
}
extern "C" __attribute__((visibility("hidden"), alias("__wrap_memmove"))) void* __wrap_memcpy(void*, const void*,
                                                                                              size_t);

// memcpy is memmove to programs that were linked before 2011 (GLIBC_2.2.5), and costs the same.
PROF_EXPORT void* memmove(void* to, const void* from, size_t n) noexcept {
  if (g_ways.memmove == nullptr) [[unlikely]]
    return move_bytes(to, from, n);
  return g_ways.memmove(to, from, n);
}
PROF_EXPORT __attribute__((alias("memmove"))) void* memcpy(void*, const void*, size_t) noexcept;

PROF_EXPORT void* mempcpy(void* to, const void* from, size_t n) noexcept {
  if (g_ways.mempcpy == nullptr) [[unlikely]]
    return static_cast<char*>(move_bytes(to, from, n)) + n;
  return g_ways.mempcpy(to, from, n);
}

PROF_EXPORT void* __memcpy_chk(void* to, const void* from, size_t n, size_t room) {
  if (g_ways.memcpy_chk != nullptr) [[likely]]
    return g_ways.memcpy_chk(to, from, n, room);
  check(n, room);
  return move_bytes(to, from, n);
}

PROF_EXPORT void* __memmove_chk(void* to, const void* from, size_t n, size_t room) {
  if (g_ways.memmove_chk != nullptr) [[likely]]
    return g_ways.memmove_chk(to, from, n, room);
  check(n, room);
  return move_bytes(to, from, n);
}

PROF_EXPORT void* __mempcpy_chk(void* to, const void* from, size_t n, size_t room) {
  if (g_ways.mempcpy_chk != nullptr) [[likely]]
    return g_ways.mempcpy_chk(to, from, n, room);
  check(n, room);
  return static_cast<char*>(move_bytes(to, from, n)) + n;
}

PROF_EXPORT wchar_t* wmemcpy(wchar_t* to, const wchar_t* from, size_t n) noexcept {
  if (g_ways.wmemcpy == nullptr) [[unlikely]]
    return static_cast<wchar_t*>(move_bytes(to, from, n * sizeof(wchar_t)));
  return g_ways.wmemcpy(to, from, n);
}

PROF_EXPORT wchar_t* wmemmove(wchar_t* to, const wchar_t* from, size_t n) noexcept {
  if (g_ways.wmemmove == nullptr) [[unlikely]]
    return static_cast<wchar_t*>(move_bytes(to, from, n * sizeof(wchar_t)));
  return g_ways.wmemmove(to, from, n);
}

PROF_EXPORT char* strcpy(char* to, const char* from) noexcept {
  if (g_ways.strcpy != nullptr) [[likely]]
    return g_ways.strcpy(to, from);
  early_end(to, from);
  return to;
}

PROF_EXPORT char* stpcpy(char* to, const char* from) noexcept {
  return g_ways.stpcpy != nullptr ? g_ways.stpcpy(to, from) : early_end(to, from);
}

PROF_EXPORT char* strncpy(char* to, const char* from, size_t n) noexcept {
  if (g_ways.strncpy != nullptr) [[likely]]
    return g_ways.strncpy(to, from, n);
  early_end_padded(to, from, n);
  return to;
}

PROF_EXPORT char* stpncpy(char* to, const char* from, size_t n) noexcept {
  return g_ways.stpncpy != nullptr ? g_ways.stpncpy(to, from, n) : early_end_padded(to, from, n);
}

PROF_EXPORT char* strcat(char* to, const char* from) noexcept {
  if (g_ways.strcat != nullptr) [[likely]]
    return g_ways.strcat(to, from);
  early_end(to + length(to, SIZE_MAX), from);
  return to;
}

PROF_EXPORT char* __strcpy_chk(char* to, const char* from, size_t room) {
  if (g_ways.strcpy_chk != nullptr) [[likely]]
    return g_ways.strcpy_chk(to, from, room);
  check(length(from, SIZE_MAX) + 1, room);
  early_end(to, from);
  return to;
}

PROF_EXPORT char* __stpcpy_chk(char* to, const char* from, size_t room) {
  if (g_ways.stpcpy_chk != nullptr) [[likely]]
    return g_ways.stpcpy_chk(to, from, room);
  check(length(from, SIZE_MAX) + 1, room);
  return early_end(to, from);
}

PROF_EXPORT char* __strncpy_chk(char* to, const char* from, size_t n, size_t room) {
  if (g_ways.strncpy_chk != nullptr) [[likely]]
    return g_ways.strncpy_chk(to, from, n, room);
  check(n, room);
  early_end_padded(to, from, n);
  return to;
}

PROF_EXPORT char* __stpncpy_chk(char* to, const char* from, size_t n, size_t room) {
  if (g_ways.stpncpy_chk != nullptr) [[likely]]
    return g_ways.stpncpy_chk(to, from, n, room);
  check(n, room);
  return early_end_padded(to, from, n);
}

PROF_EXPORT char* __strcat_chk(char* to, const char* from, size_t room) {
  if (g_ways.strcat_chk != nullptr) [[likely]]
    return g_ways.strcat_chk(to, from, room);
  const size_t held = length(to, SIZE_MAX);
  check(held + length(from, SIZE_MAX) + 1, room);
  early_end(to + held, from);
  return to;
}
