// GDB's interface for code that is made at run time: makers keep a list of the ELF images of their objects, which
// debuggers read. LLVM has one always, with the newest image first.
//
// Source: GDB's manual, "JIT Compilation Interface".
#pragma once

#include <cstdint>

#include "agent/jit/elf_image.hpp"

namespace prof::jit {

// The newest image of the list that the maker around `caller` keeps which has code at `address`: of code that its maker
// is at work with, no other one can be meant. False: there is none. The list and all that it leads to are read by
// checked copies, a bounded number of them. Ordinary code.
bool image_of_code(std::uintptr_t address, const void* caller, ElfImage& image);

}  // namespace prof::jit
