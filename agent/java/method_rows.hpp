// How the code that HotSpot makes keeps its callers: its compilers write no call frame information, but their frames
// are regular. The beginning pushes rbp and takes a constant from rsp, which each way back undoes.
//
// Source: Intel 64 manual, volume 2; code of HotSpot 17 and 25, by both of its compilers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/unwind/rows.hpp"

namespace prof::java {

// Writes the rows of a compiled method, or of a stub, by their offsets; how many. 0: its beginning is none that is
// known. They are guarded: the code may push more for some instructions.
std::size_t rows_of_method(const unsigned char* code, std::uint32_t bytes, RowAt* to, std::size_t room);
// The room that any method's rows have.
inline constexpr std::size_t kMostRows = 512;

// Of code that is jumped to and jumps on, the return address of whoever called last on top of the stack.
Row passing_row();
// Of the interpreter, all of it alike.
Row interpreter_row();

}  // namespace prof::java
