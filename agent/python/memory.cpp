#include "agent/python/memory.hpp"

#include <cstring>

#include "agent/core/checked_copy.hpp"
#include "agent/core/readable.hpp"

namespace prof::python {

bool Memory::probe(std::uintptr_t at) {
  if (!prof::readable(at & ~std::uintptr_t{7})) return false;
  pages_[(at >> 12) % kPages] = at >> 12;
  return true;
}

bool Memory::readable(std::uintptr_t at, std::uintptr_t bytes) {
  if (bytes == 0 || bytes > (std::uintptr_t{1} << 24) || at >= kUserEnd) return false;
  for (std::uintptr_t page = at >> 12; page <= (at + bytes - 1) >> 12; ++page) {
    if (!readable(page == at >> 12 ? at : page << 12)) return false;
  }
  return true;
}

bool Memory::copy(void* to, std::uintptr_t at, std::uintptr_t bytes) {
  if (access_ == Access::Copied) return copy_checked(to, at, bytes);
  if (!readable(at, bytes)) return false;
  std::memcpy(to, reinterpret_cast<const void*>(at), bytes);
  return true;
}

}  // namespace prof::python
