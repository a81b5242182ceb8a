// The definitions that stand behind ours in the loader's search order, found without asking the loader. A look-up of
// its own costs a microsecond, and one that fails allocates and writes a message: with a hundred rows a good part of
// what the start of a process costs.
#pragma once

#include <link.h>

#include <cstddef>

#include "interpose/hook/object_symbols.hpp"

namespace prof {

// Our own entry in the loader's list of the program's objects; null in a copy that was opened in another namespace.
const link_map* own_map();

// libc's own function of that name, whoever stands before it; null: it has none. While no other thread may change the
// loader's list.
void* definition_in_libc(const char* name);

class NextDefinitions {
 public:
  // Reads the list: while no other thread may change it.
  NextDefinitions();

  // Whether it is known what RTLD_NEXT gives for the name in its default version; null in `found`: nothing.
  bool find(const char* name, void*& found) const;

 private:
  static constexpr std::size_t kMost = 64;

  ObjectSymbols tables_[kMost];
  std::size_t count_ = 0;
  std::size_t sure_ =
      0;  // of these objects, which were there at the start, the order of the list is that of the search
};

}  // namespace prof
