// Where HotSpot keeps what it knows of a method, as the VM itself states it for debuggers.
//
// Source: HotSpot's vmStructs.hpp, by which the Serviceability Agent reads a VM from outside; its tables are exported
// by libjvm.so. Method, ConstMethod, ConstantPool, Klass and Symbol: the headers of these names under share/oops.
#pragma once

#include <cstdint>

#include "agent/unwind/objects.hpp"

namespace prof::java {

struct VmLayout {
  // Of Method, ConstMethod, ConstantPool and Klass.
  std::uint64_t const_method, constants, method_bytes, flags, code_size, name_index;
  std::uint64_t pool_holder, source_file_index, class_name;
  std::uint64_t symbol_length, symbol_text;
  // Of the whole of each: bytecodes follow a ConstMethod, entries a ConstantPool.
  std::uint64_t const_method_bytes, constant_pool_bytes;
  std::uint64_t flags_bytes;    // 2 or 4
  std::uint64_t has_lines;      // a bit of the flags
  std::uint64_t major_version;  // of the JDK
};

// False: the library does not state all of it, or states what cannot be. Ordinary code, while it is loaded.
bool read_layout(const Object& vm, VmLayout& layout);

// The addresses that the VM keeps for objects, which it sets apart before it runs anything; none: the library does not
// say, or its collector keeps them elsewhere (ZGC). Ordinary code, while it is loaded.
struct VmRange {
  std::uint64_t start, bytes;
};
VmRange read_heap(const Object& vm);

}  // namespace prof::java
