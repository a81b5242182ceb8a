// Asking about files by path or by descriptor: the system calls behind them read directories, over a network perhaps.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "agent/java/connection.hpp"
#include "interpose/file/record.hpp"
#include "interpose/hook/hook.hpp"

PROF_REAL_LATE(stat);
PROF_REAL_LATE(stat64);
PROF_REAL_LATE(lstat);
PROF_REAL_LATE(lstat64);
PROF_REAL_LATE(fstat);
PROF_REAL_LATE(fstat64);
PROF_REAL_LATE(fstatat);
PROF_REAL_LATE(fstatat64);
PROF_REAL_LATE(statx);
PROF_REAL_LATE(statfs);
PROF_REAL_LATE(statfs64);
PROF_REAL_LATE(fstatfs);
PROF_REAL_LATE(fstatfs64);
PROF_REAL_LATE(access);
PROF_REAL_LATE(faccessat);
PROF_REAL_LATE(euidaccess);
PROF_REAL_LATE(eaccess);
// What programs that were linked before glibc 2.33 call.
using Stat = struct stat;
using Stat64 = struct stat64;
PROF_REAL_LATE_AS(__xstat, int(int, const char*, Stat*));
PROF_REAL_LATE_AS(__xstat64, int(int, const char*, Stat64*));
PROF_REAL_LATE_AS(__lxstat, int(int, const char*, Stat*));
PROF_REAL_LATE_AS(__lxstat64, int(int, const char*, Stat64*));
PROF_REAL_LATE_AS(__fxstat, int(int, int, Stat*));
PROF_REAL_LATE_AS(__fxstat64, int(int, int, Stat64*));
PROF_REAL_LATE_AS(__fxstatat, int(int, int, const char*, Stat*, int));
PROF_REAL_LATE_AS(__fxstatat64, int(int, int, const char*, Stat64*, int));

PROF_WAIT_FUNCTION(stat);
PROF_WAIT_FUNCTION(lstat);
PROF_WAIT_FUNCTION(fstat);
PROF_WAIT_FUNCTION(fstatat);
PROF_WAIT_FUNCTION(statx);
PROF_WAIT_FUNCTION(statfs);
PROF_WAIT_FUNCTION(fstatfs);
PROF_WAIT_FUNCTION(access);
PROF_WAIT_FUNCTION(faccessat);
PROF_WAIT_FUNCTION(euidaccess);

using prof::files::Use;
using prof::wait::Call;
using prof::wait::WaitClass;

namespace {

// `ask()` as `function`, by a path; in the exported function's own frame. An empty path asks about the directory's own
// descriptor.
template <class Ask>
[[gnu::always_inline]] inline int asking(const prof::wait::Function& function, int directory, const char* path,
                                         Ask ask) {
  Call call(function, WaitClass::File);
  const int r = ask();
  prof::named(call, directory, path, static_cast<long>(r));
  return r;
}
// Of fstat: what it tells the program is learned with it.
template <class S, class Ask>
[[gnu::always_inline]] inline int telling(int fd, const S* told, Ask ask) {
  Call call(function_fstat, WaitClass::File);
  const int r = ask();
  prof::booked(call, fd, Use::What::Other, r);
  if (call && r == 0 && S_ISREG(told->st_mode)) prof::files::told_regular(fd);
  return r;
}
// Likewise, by a descriptor.
template <class Ask>
[[gnu::always_inline]] inline int asking(const prof::wait::Function& function, int fd, Ask ask) {
  Call call(function, WaitClass::File);
  const int r = ask();
  prof::booked(call, fd, Use::What::Other, r);
  return r;
}

}  // namespace

PROF_EXPORT int stat(const char* path, struct stat* to) noexcept {
  return asking(function_stat, AT_FDCWD, path, [=] { return real_stat(path, to); });
}
PROF_EXPORT int stat64(const char* path, struct stat64* to) noexcept {
  prof::java::called_from(__builtin_return_address(0));
  return asking(function_stat, AT_FDCWD, path, [=] { return real_stat64(path, to); });
}
PROF_EXPORT int lstat(const char* path, struct stat* to) noexcept {
  return asking(function_lstat, AT_FDCWD, path, [=] { return real_lstat(path, to); });
}
PROF_EXPORT int lstat64(const char* path, struct stat64* to) noexcept {
  prof::java::called_from(__builtin_return_address(0));
  return asking(function_lstat, AT_FDCWD, path, [=] { return real_lstat64(path, to); });
}
PROF_EXPORT int fstat(int fd, struct stat* to) noexcept {
  return telling(fd, to, [=] { return real_fstat(fd, to); });
}
PROF_EXPORT int fstat64(int fd, struct stat64* to) noexcept {
  return telling(fd, to, [=] { return real_fstat64(fd, to); });
}
PROF_EXPORT int fstatat(int directory, const char* path, struct stat* to, int flags) noexcept {
  return asking(function_fstatat, directory, path, [=] { return real_fstatat(directory, path, to, flags); });
}
PROF_EXPORT int fstatat64(int directory, const char* path, struct stat64* to, int flags) noexcept {
  return asking(function_fstatat, directory, path, [=] { return real_fstatat64(directory, path, to, flags); });
}
PROF_EXPORT int statx(int directory, const char* path, int flags, unsigned wanted, struct statx* to) noexcept {
  return asking(function_statx, directory, path, [=] { return real_statx(directory, path, flags, wanted, to); });
}

PROF_EXPORT int __xstat(int version, const char* path, Stat* to) {
  return asking(function_stat, AT_FDCWD, path, [=] { return real___xstat(version, path, to); });
}
PROF_EXPORT int __xstat64(int version, const char* path, Stat64* to) {
  prof::java::called_from(__builtin_return_address(0));
  return asking(function_stat, AT_FDCWD, path, [=] { return real___xstat64(version, path, to); });
}
PROF_EXPORT int __lxstat(int version, const char* path, Stat* to) {
  return asking(function_lstat, AT_FDCWD, path, [=] { return real___lxstat(version, path, to); });
}
PROF_EXPORT int __lxstat64(int version, const char* path, Stat64* to) {
  prof::java::called_from(__builtin_return_address(0));
  return asking(function_lstat, AT_FDCWD, path, [=] { return real___lxstat64(version, path, to); });
}
PROF_EXPORT int __fxstat(int version, int fd, Stat* to) {
  return telling(fd, to, [=] { return real___fxstat(version, fd, to); });
}
PROF_EXPORT int __fxstat64(int version, int fd, Stat64* to) {
  return telling(fd, to, [=] { return real___fxstat64(version, fd, to); });
}
PROF_EXPORT int __fxstatat(int version, int directory, const char* path, Stat* to, int flags) {
  return asking(function_fstatat, directory, path,
                [=] { return real___fxstatat(version, directory, path, to, flags); });
}
PROF_EXPORT int __fxstatat64(int version, int directory, const char* path, Stat64* to, int flags) {
  return asking(function_fstatat, directory, path,
                [=] { return real___fxstatat64(version, directory, path, to, flags); });
}

PROF_EXPORT int statfs(const char* path, struct statfs* to) noexcept {
  return asking(function_statfs, AT_FDCWD, path, [=] { return real_statfs(path, to); });
}
PROF_EXPORT int statfs64(const char* path, struct statfs64* to) noexcept {
  return asking(function_statfs, AT_FDCWD, path, [=] { return real_statfs64(path, to); });
}
PROF_EXPORT int fstatfs(int fd, struct statfs* to) noexcept {
  return asking(function_fstatfs, fd, [=] { return real_fstatfs(fd, to); });
}
PROF_EXPORT int fstatfs64(int fd, struct statfs64* to) noexcept {
  return asking(function_fstatfs, fd, [=] { return real_fstatfs64(fd, to); });
}

PROF_EXPORT int access(const char* path, int mode) noexcept {
  return asking(function_access, AT_FDCWD, path, [=] { return real_access(path, mode); });
}
PROF_EXPORT int faccessat(int directory, const char* path, int mode, int flags) noexcept {
  return asking(function_faccessat, directory, path, [=] { return real_faccessat(directory, path, mode, flags); });
}
PROF_EXPORT int euidaccess(const char* path, int mode) noexcept {
  return asking(function_euidaccess, AT_FDCWD, path, [=] { return real_euidaccess(path, mode); });
}
PROF_EXPORT int eaccess(const char* path, int mode) noexcept {
  return asking(function_euidaccess, AT_FDCWD, path, [=] { return real_eaccess(path, mode); });
}
