// Waiting for storage to have what was written; and for room in it.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "interpose/file/record.hpp"
#include "interpose/hook/hook.hpp"
#include "interpose/wait/resume.hpp"

PROF_REAL_LATE(fsync);
PROF_REAL_LATE(fdatasync);
PROF_REAL_LATE(sync);
PROF_REAL_LATE(syncfs);
PROF_REAL_LATE(sync_file_range);
PROF_REAL_LATE(msync);
PROF_REAL_LATE(posix_fadvise);
PROF_REAL_LATE(posix_fadvise64);
PROF_REAL_LATE(readahead);

PROF_WAIT_FUNCTION(fsync);
PROF_WAIT_FUNCTION(fdatasync);
PROF_WAIT_FUNCTION(sync);
PROF_WAIT_FUNCTION(syncfs);
PROF_WAIT_FUNCTION(sync_file_range);
PROF_WAIT_FUNCTION(msync);
PROF_WAIT_FUNCTION(posix_fadvise);
PROF_WAIT_FUNCTION(readahead);

using prof::files::Use;
using prof::wait::Call;
using prof::wait::WaitClass;

namespace {

// `sync_it()` as `function`; in the exported function's own frame.
template <class Sync>
[[gnu::always_inline]] inline int syncing(const prof::wait::Function& function, int fd, Sync sync_it) {
  Call call(function, WaitClass::File);
  const int r = prof::resumed(sync_it);
  prof::booked(call, fd, Use::What::Sync, r);
  return r;
}

// Advice returns its error, and leaves errno alone.
template <class Advise>
[[gnu::always_inline]] inline int advising(int fd, Advise advise_it) {
  Call call(function_posix_fadvise, WaitClass::File);
  const int error = advise_it();
  if (call) {
    call.done(error);
    prof::files::used(fd, call, {.what = Use::What::Other, .failed = error != 0});
  }
  return error;
}

}  // namespace

PROF_EXPORT int fsync(int fd) {
  return syncing(function_fsync, fd, [=] { return real_fsync(fd); });
}
PROF_EXPORT int fdatasync(int fd) {
  return syncing(function_fdatasync, fd, [=] { return real_fdatasync(fd); });
}
PROF_EXPORT int syncfs(int fd) noexcept {
  return syncing(function_syncfs, fd, [=] { return real_syncfs(fd); });
}
PROF_EXPORT int sync_file_range(int fd, off64_t from, off64_t n, unsigned flags) {
  return syncing(function_sync_file_range, fd, [=] { return real_sync_file_range(fd, from, n, flags); });
}

PROF_EXPORT void sync() noexcept {
  Call call(function_sync, WaitClass::File);
  real_sync();
  call.done(0);
}

PROF_EXPORT int msync(void* start, size_t n, int flags) {
  Call call(function_msync, WaitClass::File);
  const int r = prof::resumed([=] { return real_msync(start, n, flags); });
  prof::ended(call, r);
  return r;
}

PROF_EXPORT int posix_fadvise(int fd, off_t from, off_t n, int advice) noexcept {
  return advising(fd, [=] { return real_posix_fadvise(fd, from, n, advice); });
}
PROF_EXPORT int posix_fadvise64(int fd, off64_t from, off64_t n, int advice) noexcept {
  return advising(fd, [=] { return real_posix_fadvise64(fd, from, n, advice); });
}

PROF_EXPORT ssize_t readahead(int fd, off64_t from, size_t n) noexcept {
  Call call(function_readahead, WaitClass::File);
  const ssize_t r = real_readahead(fd, from, n);
  prof::booked(call, fd, Use::What::Other, r);
  return r;
}
