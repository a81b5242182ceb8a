// Whether a code object is of a chosen function, remembered by the code object.
#pragma once

#include "agent/python/interpreter.hpp"

namespace prof::python::calls {

// Functions chosen by patterns; without patterns: of the program's own files. With the GIL.
class Chosen {
 public:
  // `patterns` stays where it is.
  void set(const char* patterns);
  bool has(const void* code);

 private:
  struct Seen {
    const void* code;
    const void* is[3];  // name, file and line table: addresses are re-used
    bool chosen;
  };
  static constexpr unsigned kBits = 10;
  bool decide(const void* code) const;
  const char* patterns_ = nullptr;  // null: none. Not "", whose address the start of every process would write here
  char directory_[4096] = {};
  Seen seen_[1U << kBits] = {};
};

}  // namespace prof::python::calls
