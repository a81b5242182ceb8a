#include "agent/unwind/memory.hpp"

#include <sys/uio.h>

#include <cerrno>
#include <cstring>

#include "agent/core/raw.hpp"
#include "agent/core/readable.hpp"

namespace prof {
namespace {

// Where a sandbox forbids the call that copies without a fault: no further than the page in which the word lies. What a
// walk follows are stacks that the calling thread runs on, which nobody unmaps between the question and the copy; what
// lies above them may be anybody's.
long copied_directly(ForeignWindow& to, std::uintptr_t at, std::size_t bytes) {
  if (!readable(at)) return 0;
  std::memcpy(to.copy, reinterpret_cast<const void*>(at), bytes);
  return static_cast<long>(bytes);
}

}  // namespace

bool StackMemory::copy_from(std::uintptr_t at) {
  if (at < 4096 || ++copies_ > kMostCopies) return false;
  // Two pieces that meet at a page border: the kernel copies whole pieces only, and the second page may not exist.
  const std::uintptr_t border = (at & ~std::uintptr_t{4095}) + 4096;
  const std::size_t first = border - at;
  iovec to{foreign_.copy, ForeignWindow::kBytes};
  iovec from[2] = {{reinterpret_cast<void*>(at), first},
                   {reinterpret_cast<void*>(border), ForeignWindow::kBytes - first}};
  long n = raw::call(SYS_process_vm_readv, raw::pid(), raw::word(&to), 1, raw::word(from), first == 4096 ? 1 : 2, 0);
  if (n == -EPERM || n == -ENOSYS) n = copied_directly(foreign_, at, first);
  if (n < 8) return false;
  copied_ = at;
  copied_end_ = at + static_cast<std::uintptr_t>(n) / 8 * 8;
  return true;
}

}  // namespace prof
