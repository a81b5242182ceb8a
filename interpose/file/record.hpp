// How the calls of this folder end their record; those on descriptors also end as interpose/wait/booking.hpp has it.
#pragma once

#include <cerrno>

#include "interpose/wait/booking.hpp"

namespace prof {

// A pointer that may be null, though the declaration of libc's function says that it is not: some of them test for it,
// and the compiler would leave out a test of ours.
template <class T>
[[gnu::always_inline]] inline T* perhaps(T* p) {
  asm("" : "+r"(p));
  return p;
}

// Whether a call that failed so had read its path to the end: of others the path may be no memory of the program's.
inline bool has_read_path(int error) {
  switch (error) {
    case 0:
    case ENOENT:
    case EACCES:
    case EPERM:
    case EEXIST:
    case ENOTDIR:
    case EISDIR:
    case ENOTEMPTY:
    case ELOOP:
    case EROFS:
    case ETXTBSY:
    case EBUSY:
    case EXDEV:
    case ENXIO:
      return true;
    default:
      return false;
  }
}

// A call by path, as the functions ending in "at" have it; `error`: its errno, 0 for success.
inline void named(wait::Call& call, int directory, const char* path, int error) {
  if (!call) return;
  call.done(error);
  files::used(directory, has_read_path(error) ? path : nullptr, call,
              {.what = files::Use::What::Other, .failed = error != 0});
}
// Likewise, of one that fails with -1 and errno.
inline void named(wait::Call& call, int directory, const char* path, long r) {
  named(call, directory, path, r < 0 ? errno : 0);
}

// One that opened `fd`, or failed.
inline void opened(wait::Call& call, int fd, int directory, const char* path, int flags) {
  const int error = fd < 0 ? errno : 0;
  call.done(error);
  if (fd >= 0) files::opened(fd, directory, path, flags);
  if (!call) return;
  if (fd >= 0)
    files::used(fd, call, {.what = files::Use::What::Open, .failed = false});
  else
    files::used(directory, has_read_path(error) ? path : nullptr, call,
                {.what = files::Use::What::Open, .failed = true});
}

// One that read or wrote at `offset`, and returned how many bytes that were.
inline void moved_at(wait::Call& call, int fd, files::Use::What what, long r, long offset) {
  if (!call) return;
  call.done(r < 0 ? errno : 0, r < 0 ? 0 : static_cast<std::uint64_t>(r));
  files::used(fd, call, {.what = what, .failed = r < 0, .bytes = r < 0 ? 0 : r, .offset = offset});
}

}  // namespace prof
