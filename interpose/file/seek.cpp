// Moving in a file: never waits for anything, so it is counted alone.
#include <unistd.h>

#include "agent/files/descriptors.hpp"
#include "interpose/hook/hook.hpp"

PROF_REAL_LATE(lseek);
PROF_REAL_LATE(lseek64);

PROF_EXPORT off_t lseek(int fd, off_t offset, int from) noexcept {
  const off_t r = real_lseek(fd, offset, from);
  if (r >= 0 && !(from == SEEK_CUR && offset == 0)) prof::files::sought(fd, r);
  return r;
}
PROF_EXPORT __attribute__((alias("lseek"))) off_t __lseek(int, off_t, int) noexcept;

PROF_EXPORT off64_t lseek64(int fd, off64_t offset, int from) noexcept {
  const off64_t r = real_lseek64(fd, offset, from);
  if (r >= 0 && !(from == SEEK_CUR && offset == 0)) prof::files::sought(fd, r);
  return r;
}
