#include "agent/core/checked_copy.hpp"

#include <sys/uio.h>

#include <cerrno>
#include <cstring>

#include "agent/core/raw.hpp"
#include "agent/core/readable.hpp"

namespace prof {
namespace {

constexpr std::uintptr_t kLowest = 65536, kPageBytes = 4096;

// Where a sandbox forbids the call that copies without a fault: what is asked for belongs to code that waits for us.
bool copy_readable(void* to, std::uintptr_t from, std::size_t bytes) {
  for (std::uintptr_t page = from / kPageBytes; page <= (from + bytes - 1) / kPageBytes; ++page) {
    if (!readable(page * kPageBytes)) return false;
  }
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return true;
}

}  // namespace

bool copy_checked(void* to, std::uintptr_t from, std::size_t bytes) {
  if (bytes == 0) return true;
  if (from < kLowest || from + bytes < from || (from + bytes - 1) >> 47 != 0) return false;
  iovec ours{to, bytes}, theirs{reinterpret_cast<void*>(from), bytes};
  const long n = raw::call(SYS_process_vm_readv, raw::pid(), raw::word(&ours), 1, raw::word(&theirs), 1, 0);
  if (n == -EPERM || n == -ENOSYS) return copy_readable(to, from, bytes);
  return n >= 0 && static_cast<std::size_t>(n) == bytes;
}

}  // namespace prof
