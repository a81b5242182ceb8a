// How code without call frame information keeps its caller, as far as it can be told from its bytes: what it pushes at
// its beginning, in the order in which it pops it before it returns.
//
// Source: Intel 64 manual, volume 2, PUSH, POP, SUB, ADD, LEA, MOV, RET; the kernels that oneDNN makes.
#pragma once

#include <cstdint>

#include "agent/unwind/rows.hpp"

namespace prof {

struct Shape {
  static constexpr unsigned kMostPushes = 8, kMostEnds = 4;

  bool understood;  // else nothing of it holds
  std::uint8_t pushes, ends;
  std::uint8_t registers[kMostPushes];   // as instructions number them
  std::uint8_t after_push[kMostPushes];  // offset of the instruction behind each
  std::uint8_t after_frame_pointer;      // behind `mov rbp, rsp`; 0: there is none
  std::uint8_t after_sub;                // behind `sub rsp, bytes`; 0: there is none
  std::uint8_t add_bytes;                // length of the instruction that takes it back
  std::int32_t bytes;
  std::uint32_t end[kMostEnds];  // offset of the first instruction of a way back
};

// The shape of the code that can be read at `code`, so many bytes.
Shape shape_of(const unsigned char* code, std::uint32_t bytes);

// The row that holds at an offset into the code: of the instruction that runs, or within the call that it is in.
// Guarded: what the code does in between cannot be known. Row::Guess where the shape is not understood. Any context;
// reads nothing of the code, which may be gone.
Row row_at(const Shape& shape, std::uint32_t offset);

}  // namespace prof
