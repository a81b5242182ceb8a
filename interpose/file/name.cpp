// Names of files: made, changed, removed and read. What a call does to two of them is booked on the first.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "interpose/file/record.hpp"
#include "interpose/hook/hook.hpp"

PROF_REAL_LATE(unlink);
PROF_REAL_LATE(unlinkat);
PROF_REAL_LATE(remove);
PROF_REAL_LATE(rename);
PROF_REAL_LATE(renameat);
PROF_REAL_LATE(renameat2);
PROF_REAL_LATE(link);
PROF_REAL_LATE(linkat);
PROF_REAL_LATE(symlink);
PROF_REAL_LATE(symlinkat);
PROF_REAL_LATE(readlink);
PROF_REAL_LATE(readlinkat);
PROF_REAL_LATE_AS(__readlink_chk, ssize_t(const char*, char*, size_t, size_t));
PROF_REAL_LATE_AS(__readlinkat_chk, ssize_t(int, const char*, char*, size_t, size_t));

PROF_WAIT_FUNCTION(unlink);
PROF_WAIT_FUNCTION(unlinkat);
PROF_WAIT_FUNCTION(remove);
PROF_WAIT_FUNCTION(rename);
PROF_WAIT_FUNCTION(renameat);
PROF_WAIT_FUNCTION(renameat2);
PROF_WAIT_FUNCTION(link);
PROF_WAIT_FUNCTION(linkat);
PROF_WAIT_FUNCTION(symlink);
PROF_WAIT_FUNCTION(symlinkat);
PROF_WAIT_FUNCTION(readlink);
PROF_WAIT_FUNCTION(readlinkat);

using prof::wait::Call;
using prof::wait::WaitClass;

namespace {

// `call_it()` as `function`; in the exported function's own frame.
template <class It>
[[gnu::always_inline]] inline auto naming(const prof::wait::Function& function, int directory, const char* path,
                                          It call_it) {
  Call call(function, WaitClass::File);
  const auto r = call_it();
  prof::named(call, directory, path, static_cast<long>(r));
  return r;
}

}  // namespace

PROF_EXPORT int unlink(const char* path) noexcept {
  return naming(function_unlink, AT_FDCWD, path, [=] { return real_unlink(path); });
}
PROF_EXPORT int unlinkat(int directory, const char* path, int flags) noexcept {
  return naming(function_unlinkat, directory, path, [=] { return real_unlinkat(directory, path, flags); });
}
PROF_EXPORT int remove(const char* path) noexcept {
  return naming(function_remove, AT_FDCWD, path, [=] { return real_remove(path); });
}
PROF_EXPORT int rename(const char* from, const char* to) noexcept {
  return naming(function_rename, AT_FDCWD, from, [=] { return real_rename(from, to); });
}
PROF_EXPORT int renameat(int directory, const char* from, int target, const char* to) noexcept {
  return naming(function_renameat, directory, from, [=] { return real_renameat(directory, from, target, to); });
}
PROF_EXPORT int renameat2(int directory, const char* from, int target, const char* to, unsigned flags) noexcept {
  return naming(function_renameat2, directory, from,
                [=] { return real_renameat2(directory, from, target, to, flags); });
}
PROF_EXPORT int link(const char* from, const char* to) noexcept {
  return naming(function_link, AT_FDCWD, from, [=] { return real_link(from, to); });
}
PROF_EXPORT int linkat(int directory, const char* from, int target, const char* to, int flags) noexcept {
  return naming(function_linkat, directory, from, [=] { return real_linkat(directory, from, target, to, flags); });
}
PROF_EXPORT int symlink(const char* text, const char* path) noexcept {
  return naming(function_symlink, AT_FDCWD, path, [=] { return real_symlink(text, path); });
}
PROF_EXPORT int symlinkat(const char* text, int directory, const char* path) noexcept {
  return naming(function_symlinkat, directory, path, [=] { return real_symlinkat(text, directory, path); });
}
PROF_EXPORT ssize_t readlink(const char* path, char* to, size_t room) noexcept {
  return naming(function_readlink, AT_FDCWD, path, [=] { return real_readlink(path, to, room); });
}
PROF_EXPORT ssize_t readlinkat(int directory, const char* path, char* to, size_t room) noexcept {
  return naming(function_readlinkat, directory, path, [=] { return real_readlinkat(directory, path, to, room); });
}
PROF_EXPORT ssize_t __readlink_chk(const char* path, char* to, size_t room, size_t real_room) {
  return naming(function_readlink, AT_FDCWD, path, [=] { return real___readlink_chk(path, to, room, real_room); });
}
PROF_EXPORT ssize_t __readlinkat_chk(int directory, const char* path, char* to, size_t room, size_t real_room) {
  return naming(function_readlinkat, directory, path,
                [=] { return real___readlinkat_chk(directory, path, to, room, real_room); });
}
