// Listing a directory by a stream. readdir takes most entries from what it has read ahead: a clock before and after
// would cost more than that. Only where it will have to ask the kernel it is a call that may wait.
#include <dirent.h>

#include "interpose/file/record.hpp"
#include "interpose/hook/hook.hpp"

PROF_REAL_LATE(readdir);
PROF_REAL_LATE(readdir64);
PROF_REAL_LATE_AS(readdir_r, int(DIR*, dirent*, dirent**));
PROF_REAL_LATE_AS(readdir64_r, int(DIR*, dirent64*, dirent64**));

PROF_WAIT_FUNCTION(readdir);
PROF_WAIT_FUNCTION(readdir_r);

using prof::files::Use;
using prof::wait::Call;
using prof::wait::WaitClass;

namespace {

// How a stream begins: sysdeps/unix/sysv/linux/dirstream.h of glibc. The entries, thousands of bytes, follow.
struct Stream {
  int fd;
  int lock;
  std::size_t room;   // for entries
  std::size_t bytes;  // of entries that were read
  std::size_t at;     // of them, where the next one begins
};

// Whether the next entry has been read. Where the structure is another one, hardly ever: then each call is timed.
bool has_next(const DIR* directory) {
  const auto* stream = reinterpret_cast<const Stream*>(directory);
  return stream->at < stream->bytes && stream->bytes <= stream->room;
}

void listed(Call& call, DIR* directory, int error) {
  if (!call) return;
  call.done(error);
  prof::files::used(dirfd(directory), call, {.what = Use::What::Other, .failed = error != 0});
}

// At the end it returns null as on a failure, and leaves errno alone. In the exported function's own frame.
template <class Next>
[[gnu::always_inline]] inline auto next_entry(DIR* directory, Next next) {
  if (has_next(directory)) return next();
  Call call(function_readdir, WaitClass::File);
  const int before = errno;
  errno = 0;
  auto* entry = next();
  const int error = entry == nullptr ? errno : 0;
  if (error == 0) errno = before;
  listed(call, directory, error);
  return entry;
}

template <class Next>
[[gnu::always_inline]] inline int next_entry_into(DIR* directory, Next next) {
  if (has_next(directory)) return next();
  Call call(function_readdir_r, WaitClass::File);
  const int error = next();
  listed(call, directory, error);
  return error;
}

}  // namespace

PROF_EXPORT dirent* readdir(DIR* directory) {
  return next_entry(directory, [=] { return real_readdir(directory); });
}
PROF_EXPORT dirent64* readdir64(DIR* directory) {
  return next_entry(directory, [=] { return real_readdir64(directory); });
}
PROF_EXPORT int readdir_r(DIR* directory, dirent* entry, dirent** result) {
  return next_entry_into(directory, [=] { return real_readdir_r(directory, entry, result); });
}
PROF_EXPORT int readdir64_r(DIR* directory, dirent64* entry, dirent64** result) {
  return next_entry_into(directory, [=] { return real_readdir64_r(directory, entry, result); });
}
