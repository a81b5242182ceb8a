// Which frame of an allocating stack answers for it. Stacks are location ids, leaf first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "report/fold/own_code.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::fold {

// The first frame that belongs to neither operator new nor the C++ library nor, below Python code, to the interpreter:
// who really wanted the memory. 0 when there is none.
std::size_t first_frame_of_interest(const symbols::Symbols& symbols, std::span<const std::uint32_t> stack);

// The innermost Python frame, outside the import system if there is one; the stack's size when there is none.
std::size_t first_python_frame(const symbols::Symbols& symbols, std::span<const std::uint32_t> stack);

// The innermost frame of the user's own Python code; the stack's size when there is none.
std::size_t first_own_python_frame(const OwnCode& own, std::span<const std::uint32_t> stack);

// The same, else the innermost frame of own code, else of Python: the line at which something can be changed. The
// stack's size when there is none.
std::size_t own_or_python_frame(const OwnCode& own, std::span<const std::uint32_t> stack);

// The same, else the innermost frame of code at all that does more than launch what a device does.
std::size_t answering_frame(const OwnCode& own, std::span<const std::uint32_t> stack);

}  // namespace prof::fold
