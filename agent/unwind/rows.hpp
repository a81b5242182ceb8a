// How to step out of a frame, for one code address: what the module's .eh_frame says, boiled down to eight bytes.
//
// Source: the call frame information of the System V ABI for x86-64 (DWARF 4 section 6.4 with the LSB's .eh_frame and
// .eh_frame_hdr). Rows are made one at a time, when an address is first met: `import torch` would have 5.6 million of
// them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/unwind/objects.hpp"

namespace prof {

struct Row {
  enum Kind : std::uint8_t {
    None,         // not describable: the walk ends here
    CfaRegister,  // CFA = register + offset; other registers than rsp and rbp are known only in the interrupted frame
    CfaDeref,     // CFA = *(register + offset): a function that re-aligned its stack
    CfaSaved,     // CFA = *(register + offset) + 8: one that kept the stack pointer with which it began
    Outermost,    // no caller: the return address is undefined
    Signal,       // return trampoline of a signal handler: the interrupted registers stand at rsp
    Borrowing,    // rbp is a frame pointer, below which stands what the caller's stack pointer was before it lent some
    Guess,        // no information (JIT, assembly): a frame with a frame pointer, if it looks like one
  };
  static constexpr std::uint8_t kBpKept = 0;       // rbp is the caller's already
  static constexpr std::uint8_t kBpAtBp = 255;     // the caller's rbp stands at [rbp]
  static constexpr std::uint8_t kBpUnknown = 254;  // lost

  Kind kind = None;
  std::uint8_t bp = kBpKept;  // else: the caller's rbp stands at CFA - 8 * bp
  std::uint8_t base = 0;      // DWARF number of the register
  // The row is made out, not stated: what it leads to must look like a caller. Or else a frame pointer may.
  static constexpr std::uint8_t kGuarded = 1, kOrByFramePointer = 2;
  static constexpr std::uint8_t kKnownCaller =
      3;                     // it is made out, of regular code: what it leads to must be known code
  std::uint8_t guarded = 0;  // 0: it is stated
  std::int32_t offset = 0;
};
static_assert(sizeof(Row) == 8);

// The row that holds at `address` (a lookup address: the interrupted instruction, or return address - 1). Any context:
// reads mapped memory of the module only, takes no lock, allocates nothing.
Row row_at(std::uintptr_t address);

// A row of a function that was made at run time, from `offset` bytes into it on.
struct RowAt {
  std::uint32_t offset;
  Row row;
};

namespace eh {
struct Description;
}
// Writes all rows of a description by their offsets; how many. 0: there are more than `room`, or they are not
// understood. Any context.
std::size_t rows_of(const eh::Description& description, RowAt* to, std::size_t room);

}  // namespace prof
