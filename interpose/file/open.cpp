// Opening by path. Afterwards the descriptor is known by that path.
#include <fcntl.h>
#include <stdarg.h>

#include "agent/java/connection.hpp"
#include "interpose/file/record.hpp"
#include "interpose/hook/hook.hpp"
#include "interpose/wait/resume.hpp"

PROF_REAL_LATE(open);
PROF_REAL_LATE(open64);
PROF_REAL_LATE(openat);
PROF_REAL_LATE(openat64);
PROF_REAL_LATE(creat);
PROF_REAL_LATE(creat64);
PROF_REAL_LATE_AS(__open_2, int(const char*, int));
PROF_REAL_LATE_AS(__open64_2, int(const char*, int));
PROF_REAL_LATE_AS(__openat_2, int(int, const char*, int));
PROF_REAL_LATE_AS(__openat64_2, int(int, const char*, int));

PROF_WAIT_FUNCTION(open);
PROF_WAIT_FUNCTION(openat);
PROF_WAIT_FUNCTION(creat);

using prof::wait::Call;
using prof::wait::WaitClass;

namespace {

// There is a mode only where a file may be made: elsewhere the argument is whatever the register held.
bool has_mode(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

// `open_it(mode)`, as `function`; in the exported function's own frame.
template <class Open>
[[gnu::always_inline]] inline int opening(const prof::wait::Function& function, int directory, const char* path,
                                          int flags, Open open_it) {
  Call call(function, WaitClass::File);
  const int fd = prof::resumed(open_it);
  prof::opened(call, fd, directory, path, flags);
  return fd;
}

}  // namespace

#define PROF_MODE(flags)                                \
  mode_t mode = 0;                                      \
  if (has_mode(flags)) {                                \
    va_list args;                                       \
    va_start(args, flags);                              \
    mode = static_cast<mode_t>(va_arg(args, unsigned)); \
    va_end(args);                                       \
  }

PROF_EXPORT int open(const char* path, int flags, ...) {
  prof::java::called_from(__builtin_return_address(0));
  PROF_MODE(flags)
  return opening(function_open, AT_FDCWD, path, flags, [=] { return real_open(path, flags, mode); });
}
PROF_EXPORT int open64(const char* path, int flags, ...) {
  prof::java::called_from(__builtin_return_address(0));
  PROF_MODE(flags)
  return opening(function_open, AT_FDCWD, path, flags, [=] { return real_open64(path, flags, mode); });
}
PROF_EXPORT __attribute__((alias("open"))) int __open(const char*, int, ...) __attribute__((nonnull(1)));
PROF_EXPORT __attribute__((alias("open64"))) int __open64(const char*, int, ...) __attribute__((nonnull(1)));

PROF_EXPORT int openat(int directory, const char* path, int flags, ...) {
  PROF_MODE(flags)
  return opening(function_openat, directory, path, flags, [=] { return real_openat(directory, path, flags, mode); });
}
PROF_EXPORT int openat64(int directory, const char* path, int flags, ...) {
  PROF_MODE(flags)
  return opening(function_openat, directory, path, flags, [=] { return real_openat64(directory, path, flags, mode); });
}

PROF_EXPORT int creat(const char* path, mode_t mode) {
  return opening(function_creat, AT_FDCWD, path, O_CREAT, [=] { return real_creat(path, mode); });
}
PROF_EXPORT int creat64(const char* path, mode_t mode) {
  return opening(function_creat, AT_FDCWD, path, O_CREAT, [=] { return real_creat64(path, mode); });
}

PROF_EXPORT int __open_2(const char* path, int flags) {
  return opening(function_open, AT_FDCWD, path, flags, [=] { return real___open_2(path, flags); });
}
PROF_EXPORT int __open64_2(const char* path, int flags) {
  return opening(function_open, AT_FDCWD, path, flags, [=] { return real___open64_2(path, flags); });
}
PROF_EXPORT int __openat_2(int directory, const char* path, int flags) {
  return opening(function_openat, directory, path, flags, [=] { return real___openat_2(directory, path, flags); });
}
PROF_EXPORT int __openat64_2(int directory, const char* path, int flags) {
  return opening(function_openat, directory, path, flags, [=] { return real___openat64_2(directory, path, flags); });
}
