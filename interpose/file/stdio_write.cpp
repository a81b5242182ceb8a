// Writing through stdio: recorded where the buffer cannot take what is written, and has to be written out.
#ifndef __NO_INLINE__
#define __NO_INLINE__  // stdio.h would define some of these functions itself
#endif
#include "interpose/file/stdio.hpp"
#include "interpose/hook/hook.hpp"

PROF_REAL_LATE(fputc);
PROF_REAL_LATE(fputc_unlocked);
PROF_REAL_LATE(fputs);
PROF_REAL_LATE(fputs_unlocked);
PROF_REAL_LATE(puts);
PROF_REAL_LATE(fwrite);
PROF_REAL_LATE(fwrite_unlocked);
PROF_REAL_LATE(fflush);
PROF_REAL_LATE(fflush_unlocked);
PROF_REAL_LATE_AS(__overflow, int(FILE*, int));

PROF_WAIT_FUNCTION(fputc);
PROF_WAIT_FUNCTION(fputs);
PROF_WAIT_FUNCTION(puts);
PROF_WAIT_FUNCTION(fwrite);
PROF_WAIT_FUNCTION(fflush);

using prof::files::class_of;
using prof::stdio::Writing;
using prof::wait::Call;
using prof::wait::WaitClass;
namespace stdio = prof::stdio;

namespace {

// One character, by `put()`, or EOF for all that there is; in the exported function's own frame, as all that follow.
template <class Put>
[[gnu::always_inline]] inline int character(int c, FILE* f, Put put) {
  const bool has_room = f->_IO_write_ptr < f->_IO_write_end;
  if (c == EOF ? stdio::pending(f) == 0 : has_room || !stdio::must_write(f, 1, c == '\n')) return put();
  const Writing writing(f);
  Call call(function_fputc, class_of(writing.fd()));
  const int r = put();
  writing.done(call, c != EOF && r != EOF ? 1 : 0);
  return r;
}

template <class Put>
[[gnu::always_inline]] inline int text(const prof::wait::Function& function, const char* from, size_t more, FILE* f,
                                       Put put) {
  const size_t n = std::strlen(from) + more;
  const bool ends_line = more != 0 || (stdio::is_line_buffered(f) && n != 0 && std::memchr(from, '\n', n) != nullptr);
  if (!stdio::must_write(f, n, ends_line)) return put();
  const Writing writing(f);
  Call call(function, class_of(writing.fd()));
  const int r = put();
  writing.done(call, r != EOF ? n : 0);
  return r;
}

template <class Put>
[[gnu::always_inline]] inline size_t items(const void* from, size_t size, size_t n, FILE* f, Put put) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(size, n, &bytes) || bytes == 0) return put();
  const bool ends_line = stdio::is_line_buffered(f) && std::memchr(from, '\n', bytes) != nullptr;
  if (!stdio::must_write(f, bytes, ends_line)) return put();
  const Writing writing(f);
  Call call(function_fwrite, class_of(writing.fd()));
  const size_t r = put();
  writing.done(call, r * size);
  return r;
}

template <class Flush>
[[gnu::always_inline]] inline int flushing(FILE* f, Flush flush) {
  if (f == nullptr) {  // all streams
    Call call(function_fflush, WaitClass::File);
    const int r = flush();
    prof::ended(call, r);
    return r;
  }
  if (!stdio::has_descriptor(f) || stdio::pending(f) == 0) return flush();
  const Writing writing(f);
  Call call(function_fflush, class_of(writing.fd()));
  const int r = flush();
  writing.done(call, 0);
  return r;
}

}  // namespace

#undef putc
#undef putchar
#undef putc_unlocked
#undef putchar_unlocked
PROF_EXPORT int fputc(int c, FILE* f) {
  return character(static_cast<unsigned char>(c), f, [=] { return real_fputc(c, f); });
}
PROF_EXPORT __attribute__((alias("fputc"))) int putc(int, FILE*);
PROF_EXPORT __attribute__((alias("fputc"))) int _IO_putc(int, FILE*) __attribute__((nonnull(2)));
PROF_EXPORT int putchar(int c) {
  FILE* f = stdout;
  return character(static_cast<unsigned char>(c), f, [=] { return real_fputc(c, f); });
}
PROF_EXPORT int fputc_unlocked(int c, FILE* f) {
  return character(static_cast<unsigned char>(c), f, [=] { return real_fputc_unlocked(c, f); });
}
PROF_EXPORT __attribute__((alias("fputc_unlocked"))) int putc_unlocked(int, FILE*);
PROF_EXPORT int putchar_unlocked(int c) {
  FILE* f = stdout;
  return character(static_cast<unsigned char>(c), f, [=] { return real_fputc_unlocked(c, f); });
}
// What the unlocked functions become where the compiler puts them in place.
PROF_EXPORT int __overflow(FILE* f, int c) {
  return character(c, f, [=] { return real___overflow(f, c); });
}

PROF_EXPORT int fputs(const char* from, FILE* f) {
  return text(function_fputs, from, 0, f, [=] { return real_fputs(from, f); });
}
PROF_EXPORT int fputs_unlocked(const char* from, FILE* f) {
  return text(function_fputs, from, 0, f, [=] { return real_fputs_unlocked(from, f); });
}
PROF_EXPORT int puts(const char* from) {
  return text(function_puts, from, 1, stdout, [=] { return real_puts(from); });
}

PROF_EXPORT size_t fwrite(const void* from, size_t size, size_t n, FILE* f) {
  return items(from, size, n, f, [=] { return real_fwrite(from, size, n, f); });
}
PROF_EXPORT size_t fwrite_unlocked(const void* from, size_t size, size_t n, FILE* f) {
  return items(from, size, n, f, [=] { return real_fwrite_unlocked(from, size, n, f); });
}

PROF_EXPORT int fflush(FILE* f) {
  return flushing(f, [=] { return real_fflush(f); });
}
PROF_EXPORT int fflush_unlocked(FILE* f) {
  return flushing(f, [=] { return real_fflush_unlocked(f); });
}
