// Reading by descriptor, of any kind.
#include <sys/uio.h>
#include <unistd.h>

#include "agent/java/connection.hpp"
#include "interpose/file/record.hpp"
#include "interpose/hook/hook.hpp"
#include "interpose/wait/resume.hpp"

PROF_REAL_LATE(read);
PROF_REAL_LATE(readv);
PROF_REAL_LATE(pread);
PROF_REAL_LATE(pread64);
PROF_REAL_LATE(preadv);
PROF_REAL_LATE(preadv64);
PROF_REAL_LATE(preadv2);
PROF_REAL_LATE(preadv64v2);
PROF_REAL_LATE_AS(__read_chk, ssize_t(int, void*, size_t, size_t));
PROF_REAL_LATE_AS(__pread_chk, ssize_t(int, void*, size_t, off_t, size_t));
PROF_REAL_LATE_AS(__pread64_chk, ssize_t(int, void*, size_t, off64_t, size_t));

PROF_WAIT_FUNCTION(read);
PROF_WAIT_FUNCTION(readv);
PROF_WAIT_FUNCTION(pread);
PROF_WAIT_FUNCTION(preadv);
PROF_WAIT_FUNCTION(preadv2);

using prof::files::class_of;
using prof::files::Use;
using prof::wait::Call;

namespace {

// `read_it()` as `function`; in the exported function's own frame.
template <class Read>
[[gnu::always_inline]] inline ssize_t reading(const prof::wait::Function& function, int fd, Read read_it) {
  Call call(function, class_of(fd));
  const ssize_t r = prof::resumed(read_it);
  prof::moved(call, fd, Use::What::Read, r);
  return r;
}
// Likewise; an offset of -1 is the descriptor's own.
template <class Read>
[[gnu::always_inline]] inline ssize_t reading_at(const prof::wait::Function& function, int fd, off_t offset,
                                                 Read read_it) {
  Call call(function, class_of(fd));
  const ssize_t r = prof::resumed(read_it);
  prof::moved_at(call, fd, Use::What::Read, r, offset);
  return r;
}

}  // namespace

PROF_EXPORT ssize_t read(int fd, void* to, size_t n) {
  prof::java::called_from(__builtin_return_address(0));
  return reading(function_read, fd, [=] { return real_read(fd, to, n); });
}
PROF_EXPORT __attribute__((alias("read"))) ssize_t __read(int, void*, size_t);
PROF_EXPORT ssize_t __read_chk(int fd, void* to, size_t n, size_t room) {
  return reading(function_read, fd, [=] { return real___read_chk(fd, to, n, room); });
}
PROF_EXPORT ssize_t readv(int fd, const iovec* parts, int n) {
  return reading(function_readv, fd, [=] { return real_readv(fd, parts, n); });
}

PROF_EXPORT ssize_t pread(int fd, void* to, size_t n, off_t offset) {
  return reading_at(function_pread, fd, offset, [=] { return real_pread(fd, to, n, offset); });
}
PROF_EXPORT ssize_t pread64(int fd, void* to, size_t n, off64_t offset) {
  return reading_at(function_pread, fd, offset, [=] { return real_pread64(fd, to, n, offset); });
}
PROF_EXPORT __attribute__((alias("pread64"))) ssize_t __pread64(int, void*, size_t, off64_t);
PROF_EXPORT ssize_t __pread_chk(int fd, void* to, size_t n, off_t offset, size_t room) {
  return reading_at(function_pread, fd, offset, [=] { return real___pread_chk(fd, to, n, offset, room); });
}
PROF_EXPORT ssize_t __pread64_chk(int fd, void* to, size_t n, off64_t offset, size_t room) {
  return reading_at(function_pread, fd, offset, [=] { return real___pread64_chk(fd, to, n, offset, room); });
}
PROF_EXPORT ssize_t preadv(int fd, const iovec* parts, int n, off_t offset) {
  return reading_at(function_preadv, fd, offset, [=] { return real_preadv(fd, parts, n, offset); });
}
PROF_EXPORT ssize_t preadv64(int fd, const iovec* parts, int n, off64_t offset) {
  return reading_at(function_preadv, fd, offset, [=] { return real_preadv64(fd, parts, n, offset); });
}
PROF_EXPORT ssize_t preadv2(int fd, const iovec* parts, int n, off_t offset, int flags) {
  return reading_at(function_preadv2, fd, offset, [=] { return real_preadv2(fd, parts, n, offset, flags); });
}
PROF_EXPORT ssize_t preadv64v2(int fd, const iovec* parts, int n, off64_t offset, int flags) {
  return reading_at(function_preadv2, fd, offset, [=] { return real_preadv64v2(fd, parts, n, offset, flags); });
}
