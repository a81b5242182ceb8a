// One step of a walk: from a frame to its caller, by the row of its code address.
#pragma once

#include <ucontext.h>

#include <cstdint>

#include "agent/unwind/memory.hpp"
#include "agent/unwind/row_cache.hpp"

namespace prof {

struct Frame {
  std::uintptr_t pc, sp, bp;
  bool exact;  // pc is the interrupted instruction itself, not a return address
  bool bp_known;
  const ucontext_t* registers;  // of an interrupted frame: all its registers; null else

  std::uintptr_t lookup() const { return exact ? pc : pc - 1; }
};

enum class Step {
  Caller,     // the frame is now its caller
  Outermost,  // there is none
  Unknown,    // there is no call frame information for its code, and it does not look like a frame with a frame pointer
  Broken,     // there is, but it leads nowhere
};

// Whether there may be code of the program at `pc`: not 0, and below what the kernel keeps for itself. What a stack
// that is being switched holds in the place of a return address may be anything, and no number that is no address may
// get into a log, whose frames have other uses for the upper bits.
constexpr bool is_user_code(std::uintptr_t pc) { return (pc - 1) >> 47 == 0; }

// What the last step looked at: with the code address and the rows, all that its result depends on.
struct Trail {
  enum class Bp : std::uint8_t {
    Ignored,  // the frame's rbp did not matter
    Kept,     // the caller's is the same
    Used,     // the way to the caller was found by it
  };
  Bp bp;
  std::uintptr_t bp_at;   // where the caller's rbp was read; 0: nowhere
  std::uintptr_t cfa_at;  // where the end of the frame was read; 0: nowhere
  std::uintptr_t end_at;  // where the zero stands that ended the walk; 0: no word said so
  bool fleeting;          // of made code whose frames are not told by these alone: it is not to be remembered
};

struct WalkTools {
  StackMemory& memory;
  RowCache& rows;
  std::uint32_t generation;  // of the modules
  Trail trail{};
  bool probing = false;  // a walk of may_be_caller's: of what it comes by it is not asked again
  // The rbp of the next frame of a chain of frame pointers that was found to lead into a module; 0: of none.
  std::uintptr_t chain_bp = 0;
  std::uintptr_t lent_bp = 0;  // of the frame that the last step left, if it was one of lent_frames.hpp; 0: it was not
};

// Any context. On Unknown and Broken the frame is unchanged.
Step step(Frame& frame, WalkTools& tools);

// Whether code that was made at run time may have been entered from `frame`, whose pc may be any number: it stands
// behind a call, and a walk from there leads on. Any context.
bool may_be_caller(const Frame& frame, WalkTools& tools);

// Whether the instruction before an address that is no module's may be a call: its bytes are looked at where they can
// be read. Any context.
bool after_call(std::uintptr_t return_address);

// For code without call frame information (a JIT's): looks upwards on the stack for the return address into a module by
// which that code was entered - one that stands behind an indirect call, and from which the walk reaches an outermost
// frame; first, right at the end of a helper's frame, for one into code that was made beside it. True: the frame is now
// that caller. A heuristic: what it finds is counted.
bool find_caller(Frame& frame, WalkTools& tools);

}  // namespace prof
