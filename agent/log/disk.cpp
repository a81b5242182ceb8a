#include "agent/log/disk.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/core/text.hpp"

namespace prof::log {
namespace {

bool make_directories(char* path) {
  if (raw::call(SYS_mkdir, raw::word(path), 0700) == 0) return true;
  struct stat st {};
  if (raw::call(SYS_stat, raw::word(path), raw::word(&st)) == 0) return S_ISDIR(st.st_mode);
  char* slash = std::strrchr(path, '/');
  if (slash == nullptr || slash == path) return false;
  *slash = '\0';
  const bool parent = make_directories(path);
  *slash = '/';
  return parent && raw::call(SYS_mkdir, raw::word(path), 0700) == 0;
}

}  // namespace

int create_file(const char* directory, FilePath& made_path) {
  PROF_LARGE static char made[4096];  // static: this may run on a very small stack, by one thread alone
  TextBuilder copy(made, sizeof(made));
  copy << directory;
  if (copy.cut()) return -ENAMETOOLONG;
  // Never make directories inside a jail. In a mount namespace of its own a process finds another root, and perhaps the
  // very directory where its parent's log is.
  const bool jailed = directory_id("/") != process().root;
  if (jailed) {
    const DirectoryId found = directory_id(directory);
    if (!found || !found.is_directory(process().logs)) return -ENOENT;
  }
  bool made_before = jailed;
  for (std::uint32_t n = 1; n < 100000; ++n) {
    TextBuilder path(made_path, sizeof(made_path));
    path << directory << '/' << process().pid << '.' << n << kFileSuffix;
    if (path.cut()) return -ENAMETOOLONG;
    int fd = raw::open(made_path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    if (fd == -ENOENT && !made_before) {  // all but the first process of a run find the directory
      made_before = true;
      make_directories(made);
      fd = raw::open(made_path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    }
    if (fd >= 0) process().logs = directory_id(directory);
    if (fd != -EEXIST) return fd;
  }
  return -EEXIST;
}

long reserve(int fd, std::uint64_t from, std::uint64_t to) {
  rlimit limit{};
  // Beyond this limit the kernel would kill the host with SIGXFSZ.
  if (raw::call(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, raw::word(&limit)) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      to > limit.rlim_cur) {
    return -EFBIG;
  }
  long r = from == 0 ? -EOPNOTSUPP : -EINTR;  // to write two pages costs a third of asking for them
  while (r == -EINTR) r = raw::call(SYS_fallocate, fd, 0, static_cast<long>(from), static_cast<long>(to - from));
  if (r != -EOPNOTSUPP && r != -ENOSYS) return r;
  static constexpr char zeros[8 << 10] = {};
  for (std::uint64_t at = from; at < to;) {
    const long n = raw::pwrite(fd, zeros, to - at < sizeof(zeros) ? to - at : sizeof(zeros), at);
    if (n == -EINTR) continue;
    if (n <= 0) return n < 0 ? n : -ENOSPC;
    at += static_cast<std::uint64_t>(n);
  }
  return 0;
}

}  // namespace prof::log
