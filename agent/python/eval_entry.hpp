// The instructions with which the evaluation loop's function begins, in 3.11 and 3.12: it links its C frame into the
// thread state first and fills it in later. A tick in between finds a C frame with whatever stood on the stack before.
#pragma once

#include <cstdint>

namespace prof::python {

struct EntryFrame {
  std::uintptr_t pc;  // interrupted instruction
  std::uintptr_t sp;  // its registers
  std::uintptr_t bp;
  std::uintptr_t field;  // address of the C frame's field that names its innermost frame
};

// Whether the field may not have been stored yet. `entry`: where the function begins. Any context.
bool before_store(std::uintptr_t entry, const EntryFrame& frame);

}  // namespace prof::python
