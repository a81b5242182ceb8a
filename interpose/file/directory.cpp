// Directories: made, removed, opened, entered; scandir is timed as a whole.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interpose/file/record.hpp"
#include "interpose/hook/hook.hpp"

PROF_REAL_LATE(mkdir);
PROF_REAL_LATE(mkdirat);
PROF_REAL_LATE(rmdir);
PROF_REAL_LATE(chdir);
PROF_REAL_LATE(fchdir);
PROF_REAL_LATE(opendir);
PROF_REAL_LATE(closedir);
PROF_REAL_LATE(scandir);
PROF_REAL_LATE(scandir64);
PROF_REAL_LATE(scandirat);
PROF_REAL_LATE(scandirat64);
PROF_REAL_LATE_AS(getdents64, ssize_t(int, void*, size_t));

PROF_WAIT_FUNCTION(mkdir);
PROF_WAIT_FUNCTION(mkdirat);
PROF_WAIT_FUNCTION(rmdir);
PROF_WAIT_FUNCTION(chdir);
PROF_WAIT_FUNCTION(opendir);
PROF_WAIT_FUNCTION(closedir);
PROF_WAIT_FUNCTION(scandir);
PROF_WAIT_FUNCTION(scandirat);
PROF_WAIT_FUNCTION(getdents64);

using prof::files::Use;
using prof::wait::Call;
using prof::wait::WaitClass;

namespace {

// `call_it()` as `function`; in the exported function's own frame.
template <class It>
[[gnu::always_inline]] inline int naming(const prof::wait::Function& function, int directory, const char* path,
                                         It call_it) {
  Call call(function, WaitClass::File);
  const int r = call_it();
  prof::named(call, directory, path, static_cast<long>(r));
  return r;
}

}  // namespace

PROF_EXPORT int mkdir(const char* path, mode_t mode) noexcept {
  return naming(function_mkdir, AT_FDCWD, path, [=] { return real_mkdir(path, mode); });
}
PROF_EXPORT int mkdirat(int directory, const char* path, mode_t mode) noexcept {
  return naming(function_mkdirat, directory, path, [=] { return real_mkdirat(directory, path, mode); });
}
PROF_EXPORT int rmdir(const char* path) noexcept {
  return naming(function_rmdir, AT_FDCWD, path, [=] { return real_rmdir(path); });
}

PROF_EXPORT int chdir(const char* path) noexcept {
  Call call(function_chdir, WaitClass::File);
  const int r = real_chdir(path);
  // Booked first: a relative path is one from where it was.
  prof::named(call, AT_FDCWD, path, static_cast<long>(r));
  if (r == 0) prof::files::moved();
  return r;
}
PROF_EXPORT int fchdir(int fd) noexcept {
  const int r = real_fchdir(fd);
  if (r == 0) prof::files::moved();
  return r;
}

PROF_EXPORT DIR* opendir(const char* path) {
  Call call(function_opendir, WaitClass::File);
  DIR* directory = real_opendir(path);
  prof::opened(call, directory != nullptr ? dirfd(directory) : -1, AT_FDCWD, path, O_DIRECTORY);
  return directory;
}
PROF_EXPORT int closedir(DIR* directory) {
  const prof::files::Closing closing =
      prof::files::closing(prof::perhaps(directory) != nullptr ? dirfd(directory) : -1);
  Call call(function_closedir, WaitClass::File);
  const int r = real_closedir(directory);
  if (call) {
    call.done(r < 0 ? errno : 0);
    prof::files::used(closing, call, {.what = Use::What::Other, .failed = r < 0});
  }
  return r;
}

PROF_EXPORT int scandir(const char* path, dirent*** to, int (*select)(const dirent*),
                        int (*compare)(const dirent**, const dirent**)) {
  return naming(function_scandir, AT_FDCWD, path, [=] { return real_scandir(path, to, select, compare); });
}
PROF_EXPORT int scandir64(const char* path, dirent64*** to, int (*select)(const dirent64*),
                          int (*compare)(const dirent64**, const dirent64**)) {
  return naming(function_scandir, AT_FDCWD, path, [=] { return real_scandir64(path, to, select, compare); });
}
PROF_EXPORT int scandirat(int directory, const char* path, dirent*** to, int (*select)(const dirent*),
                          int (*compare)(const dirent**, const dirent**)) {
  return naming(function_scandirat, directory, path,
                [=] { return real_scandirat(directory, path, to, select, compare); });
}
PROF_EXPORT int scandirat64(int directory, const char* path, dirent64*** to, int (*select)(const dirent64*),
                            int (*compare)(const dirent64**, const dirent64**)) {
  return naming(function_scandirat, directory, path,
                [=] { return real_scandirat64(directory, path, to, select, compare); });
}

PROF_EXPORT ssize_t getdents64(int fd, void* to, size_t room) noexcept {
  Call call(function_getdents64, WaitClass::File);
  const ssize_t r = real_getdents64(fd, to, room);
  prof::moved(call, fd, Use::What::Read, r);
  return r;
}
