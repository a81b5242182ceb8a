// Writing by descriptor, of any kind.
#include <sys/uio.h>
#include <unistd.h>

#include "agent/java/connection.hpp"
#include "interpose/file/record.hpp"
#include "interpose/hook/hook.hpp"
#include "interpose/wait/resume.hpp"

PROF_REAL_LATE(write);
PROF_REAL_LATE(writev);
PROF_REAL_LATE(pwrite);
PROF_REAL_LATE(pwrite64);
PROF_REAL_LATE(pwritev);
PROF_REAL_LATE(pwritev64);
PROF_REAL_LATE(pwritev2);
PROF_REAL_LATE(pwritev64v2);

PROF_WAIT_FUNCTION(write);
PROF_WAIT_FUNCTION(writev);
PROF_WAIT_FUNCTION(pwrite);
PROF_WAIT_FUNCTION(pwritev);
PROF_WAIT_FUNCTION(pwritev2);

using prof::files::class_of;
using prof::files::Use;
using prof::wait::Call;

namespace {

// `write_it()` as `function`; in the exported function's own frame.
template <class Write>
[[gnu::always_inline]] inline ssize_t writing(const prof::wait::Function& function, int fd, Write write_it) {
  Call call(function, class_of(fd));
  const ssize_t r = prof::resumed(write_it);
  prof::moved(call, fd, Use::What::Write, r);
  return r;
}
// Likewise; an offset of -1 is the descriptor's own.
template <class Write>
[[gnu::always_inline]] inline ssize_t writing_at(const prof::wait::Function& function, int fd, off_t offset,
                                                 Write write_it) {
  Call call(function, class_of(fd));
  const ssize_t r = prof::resumed(write_it);
  prof::moved_at(call, fd, Use::What::Write, r, offset);
  return r;
}

}  // namespace

PROF_EXPORT ssize_t write(int fd, const void* from, size_t n) {
  prof::java::called_from(__builtin_return_address(0));
  return writing(function_write, fd, [=] { return real_write(fd, from, n); });
}
PROF_EXPORT __attribute__((alias("write"))) ssize_t __write(int, const void*, size_t);
PROF_EXPORT ssize_t writev(int fd, const iovec* parts, int n) {
  return writing(function_writev, fd, [=] { return real_writev(fd, parts, n); });
}

PROF_EXPORT ssize_t pwrite(int fd, const void* from, size_t n, off_t offset) {
  return writing_at(function_pwrite, fd, offset, [=] { return real_pwrite(fd, from, n, offset); });
}
PROF_EXPORT ssize_t pwrite64(int fd, const void* from, size_t n, off64_t offset) {
  return writing_at(function_pwrite, fd, offset, [=] { return real_pwrite64(fd, from, n, offset); });
}
PROF_EXPORT __attribute__((alias("pwrite64"))) ssize_t __pwrite64(int, const void*, size_t, off64_t);
PROF_EXPORT ssize_t pwritev(int fd, const iovec* parts, int n, off_t offset) {
  return writing_at(function_pwritev, fd, offset, [=] { return real_pwritev(fd, parts, n, offset); });
}
PROF_EXPORT ssize_t pwritev64(int fd, const iovec* parts, int n, off64_t offset) {
  return writing_at(function_pwritev, fd, offset, [=] { return real_pwritev64(fd, parts, n, offset); });
}
PROF_EXPORT ssize_t pwritev2(int fd, const iovec* parts, int n, off_t offset, int flags) {
  return writing_at(function_pwritev2, fd, offset, [=] { return real_pwritev2(fd, parts, n, offset, flags); });
}
PROF_EXPORT ssize_t pwritev64v2(int fd, const iovec* parts, int n, off64_t offset, int flags) {
  return writing_at(function_pwritev2, fd, offset, [=] { return real_pwritev64v2(fd, parts, n, offset, flags); });
}
