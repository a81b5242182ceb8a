// Descriptors made of others; and locks on files, which wait for another process that holds one.
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <unistd.h>

#include "interpose/hook/hook.hpp"
#include "interpose/wait/booking.hpp"
#include "interpose/wait/resume.hpp"

PROF_REAL_LATE(dup);
PROF_REAL_LATE(dup2);
PROF_REAL_LATE(dup3);
PROF_REAL_LATE(fcntl);
PROF_REAL_LATE(fcntl64);
PROF_REAL_LATE(flock);
PROF_REAL_LATE(lockf);
PROF_REAL_LATE(lockf64);

PROF_WAIT_FUNCTION(fcntl);
PROF_WAIT_FUNCTION(flock);
PROF_WAIT_FUNCTION(lockf);

using prof::files::Use;
using prof::wait::Call;
using prof::wait::WaitClass;

namespace {

int kept(int from, int to) {
  if (to >= 0) prof::files::duplicated(from, to);
  return to;
}

// What sets a lock may wait for who has it: the storage is not what is waited for, so it is a lock's time.
bool locks(int what) { return what == F_SETLKW || what == F_OFD_SETLKW || what == F_SETLK || what == F_OFD_SETLK; }

// fcntl and its twin; in the exported function's own frame.
template <auto& kReal>
[[gnu::always_inline]] inline int control(int fd, int what, void* argument) {
  if (locks(what)) {
    Call call(function_fcntl, WaitClass::Lock);
    const int r = prof::resumed([=] { return kReal.get()(fd, what, argument); });
    prof::booked(call, fd, Use::What::Other, r);
    return r;
  }
  const int r = kReal.get()(fd, what, argument);
  if (what == F_DUPFD || what == F_DUPFD_CLOEXEC) kept(fd, r);
  return r;
}

}  // namespace

PROF_EXPORT int dup(int fd) noexcept { return kept(fd, real_dup(fd)); }
PROF_EXPORT int dup2(int from, int to) noexcept { return kept(from, real_dup2(from, to)); }
PROF_EXPORT __attribute__((alias("dup2"))) int __dup2(int, int) noexcept;
PROF_EXPORT int dup3(int from, int to, int flags) noexcept { return kept(from, real_dup3(from, to, flags)); }

// As libc itself: the third argument is a pointer's worth of whatever was passed.
PROF_EXPORT int fcntl(int fd, int what, ...) {
  va_list args;
  va_start(args, what);
  void* argument = va_arg(args, void*);
  va_end(args);
  return control<real_fcntl>(fd, what, argument);
}
PROF_EXPORT __attribute__((alias("fcntl"))) int __fcntl(int, int, ...);

PROF_EXPORT int fcntl64(int fd, int what, ...) {
  va_list args;
  va_start(args, what);
  void* argument = va_arg(args, void*);
  va_end(args);
  return control<real_fcntl64>(fd, what, argument);
}

PROF_EXPORT int flock(int fd, int what) noexcept {
  Call call(function_flock, WaitClass::Lock);
  const int r = prof::resumed([=] { return real_flock(fd, what); });
  prof::booked(call, fd, Use::What::Other, r);
  return r;
}

PROF_EXPORT int lockf(int fd, int what, off_t length) {
  Call call(function_lockf, WaitClass::Lock);
  const int r = prof::resumed([=] { return real_lockf(fd, what, length); });
  prof::booked(call, fd, Use::What::Other, r);
  return r;
}

PROF_EXPORT int lockf64(int fd, int what, off64_t length) {
  Call call(function_lockf, WaitClass::Lock);
  const int r = prof::resumed([=] { return real_lockf64(fd, what, length); });
  prof::booked(call, fd, Use::What::Other, r);
  return r;
}
