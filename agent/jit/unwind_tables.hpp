// Call frame information that makers of code register with the unwinder, as LLVM does for each object that it makes:
// where its functions begin and end, and how their callers are found. Names come from the image of the same object that
// its maker shows to debuggers (debugger_images.hpp).
#pragma once

#include <cstdint>

#include "agent/jit/elf_image.hpp"
#include "agent/jit/scratch.hpp"
#include "agent/thread/guard.hpp"

namespace prof::jit {

// A whole .eh_frame at `section` has been registered, or given back, by `caller`: an address in the maker's own code.
// Ordinary code.
// Source: libgcc, __register_frame and __deregister_frame.
void tables_registered(const void* section, const void* caller);
void tables_given_back(const void* section);

// Whether the section at that address is registered and known.
bool tables_known(std::uintptr_t section);
// The same as registered, of a section that an image says to be there, if it is.
void tables_found(const Guard& guard, Room& room, std::uintptr_t section, const ElfImage& image);
// What was known by that section is gone.
void give_up_tables(std::uintptr_t section);

// Once at start.
void prepare_unwind_tables();

}  // namespace prof::jit
