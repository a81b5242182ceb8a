// exec in all its forms: the old image's log is closed, the new image stays in the run. All of these may be called
// between vfork and exec, where only the stack may be written. The kernel's call is made through the real execve
// family, so that whoever interposes behind us keeps his place.
#include <alloca.h>
#include <stdarg.h>
#include <unistd.h>

#include "agent/life/environment.hpp"
#include "agent/life/lifecycle.hpp"
#include "interpose/hook/hook.hpp"

PROF_REAL_LATE(execve);
PROF_REAL_LATE(execvpe);
PROF_REAL_LATE(fexecve);
PROF_REAL_LATE(execveat);

// On the caller's own stack frame, which is why it is no function.
#define PROF_CHILD_ENVIRONMENT(environment)                                                               \
  ({                                                                                                      \
    const std::size_t bytes_ = prof::child_environment_bytes(environment);                                \
    bytes_ == 0 ? const_cast<char**>(environment) : prof::child_environment(environment, alloca(bytes_)); \
  })

namespace {

template <class Call>
int replacing(Call call) {
  prof::lifecycle::before_exec();
  const int r = call();
  const int saved = errno;
  prof::lifecycle::exec_failed();
  errno = saved;
  return r;
}

// Number of arguments of execl and its kind, the first included, the null not.
std::size_t count_arguments(const char* first, va_list args) {
  std::size_t n = 0;
  for (const char* a = first; a != nullptr; a = va_arg(args, const char*)) ++n;
  return n;
}
void copy_arguments(const char* first, va_list args, char** to) {
  const char* a = first;
  do *to++ = const_cast<char*>(a);
  while (a != nullptr && (a = va_arg(args, const char*), true));
}

}  // namespace

#pragma GCC diagnostic ignored "-Wpedantic"  // statement expressions

PROF_EXPORT int execve(const char* path, char* const argv[], char* const environment[]) noexcept {
  char** child = PROF_CHILD_ENVIRONMENT(environment);
  return replacing([=] { return real_execve(path, argv, child); });
}

PROF_EXPORT int execv(const char* path, char* const argv[]) noexcept {
  char** child = PROF_CHILD_ENVIRONMENT(environ);
  return replacing([=] { return real_execve(path, argv, child); });
}

PROF_EXPORT int execvpe(const char* file, char* const argv[], char* const environment[]) noexcept {
  char** child = PROF_CHILD_ENVIRONMENT(environment);
  return replacing([=] { return real_execvpe(file, argv, child); });
}

PROF_EXPORT int execvp(const char* file, char* const argv[]) noexcept {
  char** child = PROF_CHILD_ENVIRONMENT(environ);
  return replacing([=] { return real_execvpe(file, argv, child); });
}

PROF_EXPORT int fexecve(int fd, char* const argv[], char* const environment[]) noexcept {
  char** child = PROF_CHILD_ENVIRONMENT(environment);
  return replacing([=] { return real_fexecve(fd, argv, child); });
}

PROF_EXPORT int execveat(int fd, const char* path, char* const argv[], char* const environment[], int flags) noexcept {
  char** child = PROF_CHILD_ENVIRONMENT(environment);
  return replacing([=] { return real_execveat(fd, path, argv, child, flags); });
}

// The argument lists become arrays on the stack, as libc does it too.
#define PROF_COLLECT(first)                                                                          \
  va_list counting, args;                                                                            \
  va_start(args, first);                                                                             \
  va_copy(counting, args);                                                                           \
  auto** argv = static_cast<char**>(alloca((count_arguments(first, counting) + 1) * sizeof(char*))); \
  va_end(counting);                                                                                  \
  va_copy(counting, args);                                                                           \
  copy_arguments(first, counting, argv);                                                             \
  va_end(counting)

PROF_EXPORT int execl(const char* path, const char* first, ...) noexcept {
  PROF_COLLECT(first);
  va_end(args);
  char** child = PROF_CHILD_ENVIRONMENT(environ);
  return replacing([=] { return real_execve(path, argv, child); });
}

PROF_EXPORT int execlp(const char* file, const char* first, ...) noexcept {
  PROF_COLLECT(first);
  va_end(args);
  char** child = PROF_CHILD_ENVIRONMENT(environ);
  return replacing([=] { return real_execvpe(file, argv, child); });
}

PROF_EXPORT int execle(const char* path, const char* first, ...) noexcept {
  PROF_COLLECT(first);
  for (const char* a = first; a != nullptr;) a = va_arg(args, const char*);
  auto* environment = va_arg(args, char* const*);
  va_end(args);
  char** child = PROF_CHILD_ENVIRONMENT(environment);
  return replacing([=] { return real_execve(path, argv, child); });
}
