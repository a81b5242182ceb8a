// Which frame of an allocating stack answers for it. Stacks are location ids, leaf first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "report/symbols/symbols.hpp"

namespace prof::fold {

// The first frame that belongs to neither operator new nor the C++ library nor, below Python code, to the interpreter:
// who really wanted the memory. 0 when there is none.
std::size_t first_frame_of_interest(const symbols::Symbols& symbols, std::span<const std::uint32_t> stack);

// The innermost Python frame, outside the import system if there is one; the stack's size when there is none.
std::size_t first_python_frame(const symbols::Symbols& symbols, std::span<const std::uint32_t> stack);

// The innermost frame of Python code that belongs to the program itself: neither to an installed package nor to the
// standard library nor to generated code; the stack's size when there is none.
std::size_t first_own_python_frame(const symbols::Symbols& symbols, std::span<const std::uint32_t> stack);

// The frame that answers for what a device did: the innermost one of the program's own Python code, else of Python,
// else the innermost of code at all. The stack's size when there is none.
std::size_t answering_frame(const symbols::Symbols& symbols, std::span<const std::uint32_t> stack);

}  // namespace prof::fold
