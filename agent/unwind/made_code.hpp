// Code that was made at run time, as its makers announce it: where it stands, what stands for it in stacks, and how its
// callers are found.
//
// A bounded table that is never moved: whoever looks takes no lock, and what is announced takes a few stores. Code that
// is announced where other code was takes its place, and so does code at an address that was given up. A forked child
// starts with none: the words of its log are its own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/unwind/code_shape.hpp"
#include "agent/unwind/rows.hpp"

namespace prof::made_code {

struct Code {
  std::uintptr_t start, end;
  std::uint64_t frame;  // frame word; 0: it has no name
  Shape shape;
  std::uintptr_t group;   // what it is given up with; 0: alone
  std::uint32_t rows;     // number in made_rows of what its maker said of it; 0: nothing, its shape has to do
  std::uint32_t inlines;  // number in made_inlines of what was compiled into it; 0: nothing that is known
};

// Code of so many bytes, which can be read as far as it goes, is about to run at `start`; `id`: by which its maker will
// tell of its end. False: there is no room for more, and from then on nothing is found any more, as what stands where
// cannot be told. Ordinary code.
bool add(std::uintptr_t start, std::uint32_t bytes, std::uint64_t frame, std::uint32_t id);
// The same with call frame information: rows that its maker states, as many as `count` (0: none). `group`: what it is
// given up with, not 0. `inlines`: a number in made_inlines, which is the table's from then on; 0: none.
bool add(std::uintptr_t start, std::uint64_t bytes, std::uint64_t frame, const RowAt* rows, std::size_t count,
         std::uintptr_t group, std::uint32_t inlines = 0);
// What stands for the code that begins there, which had no name so far. Ordinary code.
void name(std::uintptr_t start, std::uint64_t frame);
// The code that was announced by that number is gone, or will be. Ordinary code.
void remove(std::uint32_t id);
// All of a group that begins in [low, high) is gone. Ordinary code.
void remove(std::uintptr_t group, std::uintptr_t low, std::uintptr_t high);

// What stands at `address`. Any context.
bool find(std::uintptr_t address, Code& code);
// The frame word of what stands there, at its line if that is known; 0: nothing, or it has no name. Any context.
std::uint64_t frame_at(std::uintptr_t address);
// The row that holds there; false: no such code is known. Any context.
bool row_at(std::uintptr_t address, Row& row);
// Writes the addresses that stand for the functions that were compiled into the code there, the innermost one first;
// how many. Any context.
std::uint32_t inlined_at(std::uintptr_t address, std::uintptr_t* to, std::uint32_t room);

// Once at start.
void prepare();

}  // namespace prof::made_code
