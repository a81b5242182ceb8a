// Copies of memory that any thread may unmap or change meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof {

// All of it, or false: some of it cannot be read. Any context; a system call.
bool copy_checked(void* to, std::uintptr_t from, std::size_t bytes);

template <class T>
bool copy_checked(T& to, std::uintptr_t from) {
  return copy_checked(&to, from, sizeof(T));
}

}  // namespace prof
