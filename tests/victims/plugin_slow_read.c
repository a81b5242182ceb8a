// Preloaded behind the agent: reads of files below $SLOW_DIR take $SLOW_READ_US longer, as those of a slow disk do. Its
// system calls are its own, so that nobody sees a call that sleeps.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "victim.h"

static long kernel(long number, long a, long b, long c, long d) {
  long result;
  register long fourth __asm__("r10") = d;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
                   : "rcx", "r11", "memory");
  return result;
}

static ssize_t result_of(long result) {
  if (result >= 0) return result;
  errno = (int)-result;
  return -1;
}

static int is_slow(int fd) {
  static const char* directory;
  if (directory == NULL) directory = getenv("SLOW_DIR") != NULL ? getenv("SLOW_DIR") : "";
  char link[64], path[4096];
  char* end = link + sizeof(link) - 1;
  const char* prefix = "/proc/self/fd/";
  *end = '\0';
  char* at = end;
  unsigned number = (unsigned)fd;
  do *--at = (char)('0' + number % 10);
  while ((number /= 10) != 0);
  at -= strlen(prefix);
  memcpy(at, prefix, strlen(prefix));
  const long n = kernel(SYS_readlinkat, AT_FDCWD, (long)at, (long)path, sizeof(path) - 1);
  if (n <= 0 || directory[0] == '\0') return 0;
  path[n] = '\0';
  return strncmp(path, directory, strlen(directory)) == 0;
}

static void delay(int fd) {
  if (fd < 0 || !is_slow(fd)) return;
  const char* text = getenv("SLOW_READ_US");
  const long us = text != NULL ? atol(text) : 0;
  struct timespec rest = {us / 1000000, us % 1000000 * 1000};
  while (kernel(SYS_nanosleep, (long)&rest, (long)&rest, 0, 0) != 0) {
  }
}

ssize_t read(int fd, void* to, size_t bytes) {
  delay(fd);
  return result_of(kernel(SYS_read, fd, (long)to, (long)bytes, 0));
}

ssize_t pread64(int fd, void* to, size_t bytes, off64_t at) {
  delay(fd);
  return result_of(kernel(SYS_pread64, fd, (long)to, (long)bytes, at));
}
