#include "agent/stack/memory.hpp"

#include <sys/uio.h>

#include "agent/core/raw.hpp"

namespace prof {

bool StackMemory::copy_from(std::uintptr_t at) {
  if (at < 4096 || ++copies_ > kMostCopies) return false;
  // Two pieces that meet at a page border: the kernel copies whole pieces only, and the second page may not exist.
  const std::uintptr_t border = (at & ~std::uintptr_t{4095}) + 4096;
  const std::size_t first = border - at;
  iovec to{foreign_.copy, ForeignWindow::kBytes};
  iovec from[2] = {{reinterpret_cast<void*>(at), first},
                   {reinterpret_cast<void*>(border), ForeignWindow::kBytes - first}};
  const long n =
      raw::call(SYS_process_vm_readv, raw::pid(), raw::word(&to), 1, raw::word(from), first == 4096 ? 1 : 2, 0);
  if (n < 8) return false;
  foreign_.start = at;
  foreign_.end = at + static_cast<std::uintptr_t>(n) / 8 * 8;
  return true;
}

}  // namespace prof
