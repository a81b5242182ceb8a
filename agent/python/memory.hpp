// Words of the interpreter's structures. Ordinary code reads them directly where the stack pointer and the thread state
// were seen to agree (runs.hpp): then they hold together. Elsewhere - a signal handler may have interrupted the very
// instructions that change them, a switch of greenlets may be half done - every page is first shown to be mapped. What
// another thread may unmap in between, the kernel copies.
#pragma once

#include <cstdint>

#include "agent/python/runs.hpp"
#include "agent/unwind/memory.hpp"

namespace prof::python {

class Memory {
 public:
  enum class Access { Direct, Probed, Copied };
  // `live`: the part of the thread's own stack that is surely mapped, from its stack pointer up. `runs`: of the stack
  // that is taken; null: the interpreter itself handed out what is read.
  Memory(Access access, const StackBounds& live, Runs* runs = nullptr) : access_(access), live_(live), runs_(runs) {
    if (access_ == Access::Probed) {
      for (std::uintptr_t& page : pages_) page = 0;
    }
  }

  // False: not aligned, or nothing is mapped there.
  template <class T>
  bool load(std::uintptr_t at, T& value) {
    if ((at & (sizeof(T) - 1)) != 0) return false;
    if (access_ == Access::Copied) return copy(&value, at, sizeof(T));
    if (!readable(at)) return false;
    value = *reinterpret_cast<const T*>(at);
    return true;
  }
  // Whether `at` is aligned like an object and all of [at, at + bytes), less than a page, is mapped.
  bool object(std::uintptr_t at, std::uintptr_t bytes) {
    return (at & 7) == 0 && readable(at) && (access_ == Access::Direct || readable(at + bytes - 1));
  }
  // Whether all of [at, at + bytes) is mapped; not with Copied, which never tells.
  bool readable(std::uintptr_t at, std::uintptr_t bytes);
  // False: not all of it is mapped.
  bool copy(void* to, std::uintptr_t at, std::uintptr_t bytes);
  bool on_stack(std::uintptr_t at) const { return at >= live_.low && at < live_.high; }
  // Whether an object that the interpreter links may be looked at as far as the C stack is concerned.
  bool agrees(std::uintptr_t at) { return runs_ == nullptr || runs_->agree(at, access_ == Access::Direct); }
  Access access() const { return access_; }

 private:
  bool readable(std::uintptr_t at) {
    if (at < 4096 || at >= kUserEnd || access_ == Access::Copied) return false;
    return access_ == Access::Direct || on_stack(at) || known(at >> 12) || probe(at);
  }
  bool known(std::uintptr_t page) const { return pages_[page % kPages] == page; }
  bool probe(std::uintptr_t at);

  static constexpr std::uintptr_t kUserEnd = std::uintptr_t{1} << 47;
  static constexpr unsigned kPages = 32;
  Access access_;
  StackBounds live_;
  Runs* runs_;
  std::uintptr_t pages_[kPages];  // that were shown to be mapped
};

// A field of an object that Memory::object found to be readable.
template <class T>
T field(std::uintptr_t object, std::uintptr_t offset) {
  return *reinterpret_cast<const T*>(object + offset);
}

}  // namespace prof::python
