// Code that was made at run time, as its makers announce it: where it stands, what stands for it in stacks, and how its
// callers are found.
//
// A bounded table that is never moved: whoever looks takes no lock, and what is announced takes a few stores. Code that
// is announced where other code was takes its place, and so does code at an address that was given up. A forked child
// starts with none: the words of its log are its own.
#pragma once

#include <cstdint>

#include "agent/unwind/code_shape.hpp"

namespace prof::made_code {

struct Code {
  std::uintptr_t start, end;
  std::uint64_t frame;  // frame word; 0: it has no name
  Shape shape;
};

// Code of so many bytes, which can be read as far as it goes, is about to run at `start`; `id`: by which its maker will
// tell of its end. False: there is no room for more, and from then on nothing is found any more, as what stands where
// cannot be told. Ordinary code.
bool add(std::uintptr_t start, std::uint32_t bytes, std::uint64_t frame, std::uint32_t id);
// The code that was announced by that number is gone, or will be. Ordinary code.
void remove(std::uint32_t id);

// What stands at `address`. Any context.
bool find(std::uintptr_t address, Code& code);

// Once at start.
void prepare();

}  // namespace prof::made_code
