#include "agent/log/system.hpp"

#include <cerrno>

#include "agent/core/raw.hpp"

namespace prof::log {

std::uint64_t own_start_ticks() {
  char text[1024];
  const std::size_t n = raw::slurp("/proc/self/stat", text, sizeof(text));
  // The second field is the command in parentheses and may itself hold anything: count from its last one.
  std::size_t at = n;
  while (at > 0 && text[at - 1] != ')') --at;
  unsigned field = 2;
  for (; at < n && field < 22; ++at) {
    if (text[at] == ' ') ++field;
  }
  std::uint64_t ticks = 0;
  for (; at < n && text[at] >= '0' && text[at] <= '9'; ++at)
    ticks = ticks * 10 + static_cast<std::uint64_t>(text[at] - '0');
  return ticks;
}

void read_boot_id(std::uint8_t (&id)[16]) {
  char text[64] = {};
  const std::size_t n = raw::slurp("/proc/sys/kernel/random/boot_id", text, sizeof(text));
  unsigned digits = 0;
  for (std::size_t i = 0; i < n && digits < 32; ++i) {
    const char c = text[i];
    const int v = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (v < 0) continue;
    id[digits / 2] = static_cast<std::uint8_t>(id[digits / 2] << 4 | v);
    ++digits;
  }
}

std::string_view error_name(int error) {
  switch (error) {
    case EACCES:
      return "permission denied";
    case EPERM:
      return "operation not permitted";
    case ENOENT:
      return "no such directory";
    case ENOTDIR:
      return "not a directory";
    case ENOSPC:
      return "no space left on the device";
    case EDQUOT:
      return "disk quota exceeded";
    case EROFS:
      return "read-only file system";
    case EFBIG:
      return "file size limit (RLIMIT_FSIZE)";
    case ENOMEM:
      return "no address space for it";
    case ENODEV:
      return "the file system cannot map files";
    case ENAMETOOLONG:
      return "the name is too long";
    case EMFILE:
      return "too many open files";
    case ENFILE:
      return "too many open files in the system";
    case ELOOP:
      return "a symbolic link is in the way";
    default:
      return "system error";
  }
}

}  // namespace prof::log
