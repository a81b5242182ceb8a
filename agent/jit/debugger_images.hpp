// GDB's interface for code that is made at run time: makers keep a list of the ELF images of their objects, which
// debuggers read. LLVM has one always, with the newest image first.
//
// Source: GDB's manual, "JIT Compilation Interface".
#pragma once

#include <cstdint>

#include "agent/jit/elf_image.hpp"
#include "agent/thread/guard.hpp"

namespace prof::jit {

// The newest image of the list that the maker around `caller` keeps which has code at `address`: of code that its maker
// is at work with, no other one can be meant. False: there is none. The list and all that it leads to are read by
// checked copies, a bounded number of them. Ordinary code.
bool image_of_code(std::uintptr_t address, const void* caller, ElfImage& image);

// Takes what the lists say that was not known: functions without call frame information, which nobody registers, and
// in a forked child all that its parent had made. What is no longer listed is given up. Another thread that is at it
// already does it for all. Any context; from a handler a bounded part.
void look_at_images(const Guard& guard);
// The same where a list has changed since; the CPU time that it took, in ns. Of who never registered anything, nothing
// is looked at.
std::uint64_t look_if_changed(const Guard& guard);

// Once at start.
void prepare_images();

}  // namespace prof::jit
