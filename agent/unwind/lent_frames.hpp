// Frames of an interpreter on parts of the stack that their callers lend them (Row::Borrowing). All of them have the
// same code; what each runs stands in the frame itself, so that a walk hands out their frame pointers in place of the
// code's address, where somebody can tell more by them.
#pragma once

#include <cstdint>

namespace prof::lent_frames {

// From now on walks mark them. `code`: an address of the interpreter's code, which stands for those of which nothing is
// known. Ordinary code.
void mark(std::uintptr_t code);
// That address; 0: they are not marked. Any context.
std::uintptr_t code();

// User-space addresses never have these bits, and entries of Python both of them.
inline constexpr std::uintptr_t kMark = std::uintptr_t{1} << 62;
inline constexpr bool is_marked(std::uintptr_t entry) { return entry >> 62 == 1; }
inline constexpr std::uintptr_t marked(std::uintptr_t bp) { return kMark | bp; }
inline constexpr std::uintptr_t frame_pointer(std::uintptr_t entry) { return entry & ~kMark; }

// Once at start.
void prepare();

}  // namespace prof::lent_frames
