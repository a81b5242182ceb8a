// Sizes of files, and room for them.
#include <fcntl.h>
#include <unistd.h>

#include "interpose/file/record.hpp"
#include "interpose/hook/hook.hpp"
#include "interpose/wait/resume.hpp"

PROF_REAL_LATE(truncate);
PROF_REAL_LATE(truncate64);
PROF_REAL_LATE(ftruncate);
PROF_REAL_LATE(ftruncate64);
PROF_REAL_LATE(fallocate);
PROF_REAL_LATE(fallocate64);
PROF_REAL_LATE(posix_fallocate);
PROF_REAL_LATE(posix_fallocate64);

PROF_WAIT_FUNCTION(truncate);
PROF_WAIT_FUNCTION(ftruncate);
PROF_WAIT_FUNCTION(fallocate);
PROF_WAIT_FUNCTION(posix_fallocate);

using prof::files::Use;
using prof::wait::Call;
using prof::wait::WaitClass;

namespace {

// `change()` as `function`, of a descriptor; in the exported function's own frame.
template <class Change>
[[gnu::always_inline]] inline int sizing(const prof::wait::Function& function, int fd, Change change) {
  Call call(function, WaitClass::File);
  const int r = prof::resumed(change);
  prof::booked(call, fd, Use::What::Other, r);
  return r;
}

// posix_fallocate returns its error and leaves errno alone.
template <class Change>
[[gnu::always_inline]] inline int allocating(int fd, Change change) {
  Call call(function_posix_fallocate, WaitClass::File);
  const int kept = errno;
  prof::Interruptions interruptions;
  int error = change();
  while ((errno = error) == EINTR && interruptions.by_tick()) error = change();
  errno = kept;
  if (call) {
    call.done(error);
    prof::files::used(fd, call, {.what = Use::What::Other, .failed = error != 0});
  }
  return error;
}

}  // namespace

PROF_EXPORT int truncate(const char* path, off_t size) noexcept {
  Call call(function_truncate, WaitClass::File);
  const int r = prof::resumed([=] { return real_truncate(path, size); });
  prof::named(call, AT_FDCWD, path, static_cast<long>(r));
  return r;
}
PROF_EXPORT int truncate64(const char* path, off64_t size) noexcept {
  Call call(function_truncate, WaitClass::File);
  const int r = prof::resumed([=] { return real_truncate64(path, size); });
  prof::named(call, AT_FDCWD, path, static_cast<long>(r));
  return r;
}
PROF_EXPORT int ftruncate(int fd, off_t size) noexcept {
  return sizing(function_ftruncate, fd, [=] { return real_ftruncate(fd, size); });
}
PROF_EXPORT int ftruncate64(int fd, off64_t size) noexcept {
  return sizing(function_ftruncate, fd, [=] { return real_ftruncate64(fd, size); });
}
PROF_EXPORT int fallocate(int fd, int mode, off_t from, off_t n) {
  return sizing(function_fallocate, fd, [=] { return real_fallocate(fd, mode, from, n); });
}
PROF_EXPORT int fallocate64(int fd, int mode, off64_t from, off64_t n) {
  return sizing(function_fallocate, fd, [=] { return real_fallocate64(fd, mode, from, n); });
}
PROF_EXPORT int posix_fallocate(int fd, off_t from, off_t n) {
  return allocating(fd, [=] { return real_posix_fallocate(fd, from, n); });
}
PROF_EXPORT int posix_fallocate64(int fd, off64_t from, off64_t n) {
  return allocating(fd, [=] { return real_posix_fallocate64(fd, from, n); });
}
