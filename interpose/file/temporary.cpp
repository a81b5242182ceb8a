// Temporary files: libc chooses the name, and leaves it in the caller's text.
#include <fcntl.h>
#include <stdlib.h>

#include "interpose/file/record.hpp"
#include "interpose/hook/hook.hpp"

PROF_REAL_LATE(mkstemp);
PROF_REAL_LATE(mkstemp64);
PROF_REAL_LATE(mkstemps);
PROF_REAL_LATE(mkstemps64);
PROF_REAL_LATE(mkostemp);
PROF_REAL_LATE(mkostemp64);
PROF_REAL_LATE(mkostemps);
PROF_REAL_LATE(mkostemps64);
PROF_REAL_LATE(mkdtemp);

PROF_WAIT_FUNCTION(mkstemp);
PROF_WAIT_FUNCTION(mkdtemp);

using prof::wait::Call;
using prof::wait::WaitClass;

namespace {

// `make()`; in the exported function's own frame.
template <class Make>
[[gnu::always_inline]] inline int making(const char* path, Make make) {
  Call call(function_mkstemp, WaitClass::File);
  const int fd = make();
  prof::opened(call, fd, AT_FDCWD, path, O_CREAT);
  return fd;
}

}  // namespace

PROF_EXPORT int mkstemp(char* path) {
  return making(path, [=] { return real_mkstemp(path); });
}
PROF_EXPORT int mkstemp64(char* path) {
  return making(path, [=] { return real_mkstemp64(path); });
}
PROF_EXPORT int mkstemps(char* path, int suffix) {
  return making(path, [=] { return real_mkstemps(path, suffix); });
}
PROF_EXPORT int mkstemps64(char* path, int suffix) {
  return making(path, [=] { return real_mkstemps64(path, suffix); });
}
PROF_EXPORT int mkostemp(char* path, int flags) {
  return making(path, [=] { return real_mkostemp(path, flags); });
}
PROF_EXPORT int mkostemp64(char* path, int flags) {
  return making(path, [=] { return real_mkostemp64(path, flags); });
}
PROF_EXPORT int mkostemps(char* path, int suffix, int flags) {
  return making(path, [=] { return real_mkostemps(path, suffix, flags); });
}
PROF_EXPORT int mkostemps64(char* path, int suffix, int flags) {
  return making(path, [=] { return real_mkostemps64(path, suffix, flags); });
}

PROF_EXPORT char* mkdtemp(char* path) noexcept {
  Call call(function_mkdtemp, WaitClass::File);
  char* made = real_mkdtemp(path);
  prof::named(call, AT_FDCWD, path, made == nullptr ? -1L : 0L);
  return made;
}
