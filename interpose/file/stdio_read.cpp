// Reading through stdio: recorded where the buffer does not hold what is asked for.
#ifndef __NO_INLINE__
#define __NO_INLINE__  // stdio.h would define some of these functions itself
#endif
#include "interpose/file/stdio.hpp"
#include "interpose/hook/hook.hpp"

PROF_REAL_LATE(fgetc);
PROF_REAL_LATE(fgetc_unlocked);
PROF_REAL_LATE(fgets);
PROF_REAL_LATE(fgets_unlocked);
PROF_REAL_LATE(fread);
PROF_REAL_LATE(fread_unlocked);
PROF_REAL_LATE(getline);
PROF_REAL_LATE(getdelim);
PROF_REAL_LATE_AS(__uflow, int(FILE*));
PROF_REAL_LATE_AS(__underflow, int(FILE*));
PROF_REAL_LATE_AS(__fgets_chk, char*(char*, size_t, int, FILE*));
PROF_REAL_LATE_AS(__fgets_unlocked_chk, char*(char*, size_t, int, FILE*));
PROF_REAL_LATE_AS(__fread_chk, size_t(void*, size_t, size_t, size_t, FILE*));
PROF_REAL_LATE_AS(__fread_unlocked_chk, size_t(void*, size_t, size_t, size_t, FILE*));

PROF_WAIT_FUNCTION(fgetc);
PROF_WAIT_FUNCTION(fgets);
PROF_WAIT_FUNCTION(fread);
PROF_WAIT_FUNCTION(getline);
PROF_WAIT_FUNCTION(getdelim);

using prof::files::class_of;
using prof::stdio::Reading;
using prof::wait::Call;
namespace stdio = prof::stdio;

namespace {

// One character, by `get()`; in the exported function's own frame, as all that follow.
template <class Get>
[[gnu::always_inline]] inline int character(FILE* f, Get get) {
  if (!stdio::must_read(f, 1)) return get();
  const Reading reading(f);
  Call call(function_fgetc, class_of(reading.fd()));
  const int r = get();
  reading.filled(call);
  return r;
}

template <class Get>
[[gnu::always_inline]] inline char* text(int n, FILE* f, Get get) {
  const size_t most = n > 1 ? static_cast<size_t>(n) - 1 : 0;
  if (!stdio::must_read_until(f, '\n', most)) return get();
  const Reading reading(f);
  Call call(function_fgets, class_of(reading.fd()));
  char* r = get();
  // A text that is longer than the buffer was read in parts, and only its own length tells how many.
  const auto room = static_cast<size_t>(f->_IO_buf_end - f->_IO_buf_base);
  if (r != nullptr && most > reading.held() + room && std::strlen(r) > reading.held() + room)
    reading.done(call, std::strlen(r));
  else
    reading.filled(call);
  return r;
}

template <class Get>
[[gnu::always_inline]] inline size_t items(size_t size, size_t n, FILE* f, Get get) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(size, n, &bytes) || !stdio::must_read(f, bytes)) return get();
  const Reading reading(f);
  Call call(function_fread, class_of(reading.fd()));
  const size_t r = get();
  reading.done(call, r * size);
  return r;
}

template <class Get>
[[gnu::always_inline]] inline ssize_t line(const prof::wait::Function& function, int end, FILE* f, Get get) {
  if (!stdio::must_read_until(f, end, SIZE_MAX)) return get();
  const Reading reading(f);
  Call call(function, class_of(reading.fd()));
  const ssize_t r = get();
  reading.done(call, r > 0 ? static_cast<size_t>(r) : 0);
  return r;
}

}  // namespace

PROF_EXPORT int fgetc(FILE* f) {
  return character(f, [=] { return real_fgetc(f); });
}
#undef getc
#undef getchar
#undef getc_unlocked
#undef getchar_unlocked
PROF_EXPORT __attribute__((alias("fgetc"))) int getc(FILE*);
PROF_EXPORT __attribute__((alias("fgetc"), nonnull)) int _IO_getc(FILE*);
PROF_EXPORT int getchar() {
  FILE* f = stdin;
  return character(f, [=] { return real_fgetc(f); });
}
PROF_EXPORT int fgetc_unlocked(FILE* f) {
  return character(f, [=] { return real_fgetc_unlocked(f); });
}
PROF_EXPORT __attribute__((alias("fgetc_unlocked"))) int getc_unlocked(FILE*);
PROF_EXPORT int getchar_unlocked() {
  FILE* f = stdin;
  return character(f, [=] { return real_fgetc_unlocked(f); });
}
// What the unlocked functions become where the compiler puts them in place.
PROF_EXPORT int __uflow(FILE* f) {
  return character(f, [=] { return real___uflow(f); });
}
PROF_EXPORT int __underflow(FILE* f) {
  return character(f, [=] { return real___underflow(f); });
}

PROF_EXPORT char* fgets(char* to, int n, FILE* f) {
  return text(n, f, [=] { return real_fgets(to, n, f); });
}
PROF_EXPORT char* fgets_unlocked(char* to, int n, FILE* f) {
  return text(n, f, [=] { return real_fgets_unlocked(to, n, f); });
}
PROF_EXPORT char* __fgets_chk(char* to, size_t room, int n, FILE* f) {
  return text(n, f, [=] { return real___fgets_chk(to, room, n, f); });
}
PROF_EXPORT char* __fgets_unlocked_chk(char* to, size_t room, int n, FILE* f) {
  return text(n, f, [=] { return real___fgets_unlocked_chk(to, room, n, f); });
}

PROF_EXPORT size_t fread(void* to, size_t size, size_t n, FILE* f) {
  return items(size, n, f, [=] { return real_fread(to, size, n, f); });
}
PROF_EXPORT size_t fread_unlocked(void* to, size_t size, size_t n, FILE* f) {
  return items(size, n, f, [=] { return real_fread_unlocked(to, size, n, f); });
}
PROF_EXPORT size_t __fread_chk(void* to, size_t room, size_t size, size_t n, FILE* f) {
  return items(size, n, f, [=] { return real___fread_chk(to, room, size, n, f); });
}
PROF_EXPORT size_t __fread_unlocked_chk(void* to, size_t room, size_t size, size_t n, FILE* f) {
  return items(size, n, f, [=] { return real___fread_unlocked_chk(to, room, size, n, f); });
}

PROF_EXPORT ssize_t getline(char** to, size_t* room, FILE* f) {
  return line(function_getline, '\n', f, [=] { return real_getline(to, room, f); });
}
PROF_EXPORT ssize_t getdelim(char** to, size_t* room, int end, FILE* f) {
  return line(function_getdelim, end, f, [=] { return real_getdelim(to, room, end, f); });
}
PROF_EXPORT __attribute__((alias("getdelim"))) ssize_t __getdelim(char**, size_t*, int, FILE*);
