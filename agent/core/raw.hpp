// System calls that must not pass through libc: because libc's wrapper is a cancellation point, caches, allocates or is
// interposed by us. All are async-signal-safe and return what the kernel returns: a negative errno on failure.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace prof::raw {

#if defined(__x86_64__)
inline long call(long n, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  long r;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(r)
               : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return r;
}
#else
#error "port agent/core/raw.hpp"
#endif

template <class T>
long word(T* p) {
  return reinterpret_cast<long>(p);
}

inline std::uint32_t pid() { return static_cast<std::uint32_t>(call(SYS_getpid)); }
inline std::uint32_t ppid() { return static_cast<std::uint32_t>(call(SYS_getppid)); }
inline std::uint32_t tid() { return static_cast<std::uint32_t>(call(SYS_gettid)); }

inline int open(const char* path, int flags, int mode = 0) {
  return static_cast<int>(call(SYS_openat, AT_FDCWD, word(path), flags | O_CLOEXEC, mode));
}
inline void close(int fd) { call(SYS_close, fd); }
inline long read(int fd, void* to, std::size_t n) { return call(SYS_read, fd, word(to), static_cast<long>(n)); }
inline long write(int fd, const void* from, std::size_t n) {
  return call(SYS_write, fd, word(from), static_cast<long>(n));
}
inline long pwrite(int fd, const void* from, std::size_t n, std::uint64_t at) {
  return call(SYS_pwrite64, fd, word(from), static_cast<long>(n), static_cast<long>(at));
}

// Reads a small file whole: how many bytes stand in `to`, 0 when it cannot be read.
inline std::size_t slurp(const char* path, char* to, std::size_t room) {
  const int fd = open(path, O_RDONLY);
  if (fd < 0) return 0;
  std::size_t n = 0;
  while (n < room) {
    const long r = read(fd, to + n, room - n);
    if (r <= 0) break;
    n += static_cast<std::size_t>(r);
  }
  close(fd);
  return n;
}

// The kernel's signal set, which is what rt_sigprocmask takes.
inline constexpr std::uint64_t bit(int signal) { return std::uint64_t{1} << (signal - 1); }
inline std::uint64_t mask(int how, std::uint64_t set) {
  std::uint64_t old = 0;
  call(SYS_rt_sigprocmask, how, word(&set), word(&old), sizeof(set));
  return old;
}

}  // namespace prof::raw
