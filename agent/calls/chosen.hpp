// Whether a code object is of a chosen function, remembered by the code object.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/python/interpreter.hpp"

namespace prof::python::calls {

// Functions chosen by patterns; without patterns: of the program's own files. With the GIL, where there is one: several
// threads may ask side by side.
class Chosen {
 public:
  // `patterns` stays where it is.
  void set(const char* patterns);
  bool has(const void* code);

 private:
  // What is read holds together if the version is even and the same before and after.
  struct Seen {
    std::atomic<std::uint32_t> version;
    std::atomic<bool> chosen;
    std::atomic<const void*> code;
    std::atomic<const void*> is[3];  // name, file and line table: addresses are re-used
  };
  static constexpr unsigned kBits = 10;
  bool decide(const void* code) const;
  const char* patterns_ = nullptr;  // null: none. Not "", whose address the start of every process would write here
  char directory_[4096] = {};
  Seen seen_[1U << kBits] = {};
};

}  // namespace prof::python::calls
