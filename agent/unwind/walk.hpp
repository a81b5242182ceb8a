// The stack walker: steps from frame to frame by rows, over memory that is known to be readable.
//
// Why not libunwind's unw_backtrace: it validates frames without call frame information through a pipe that it keeps
// open in the host - a host that closes all descriptors and re-uses their numbers would then have a byte read from or
// written to its own files - it takes the dynamic loader's lock through dl_iterate_phdr, also in signal handlers, and
// calls malloc once in every new thread. This walker takes no lock, opens nothing, allocates nothing, and is three to
// five times faster. The unit tests hold it against libunwind, frame by frame; PROF_UNWINDER=libunwind does it in a
// program (see libunwind.hpp).
#pragma once

#include <ucontext.h>

#include <cstdint>

#include "agent/unwind/memory.hpp"
#include "agent/unwind/row_cache.hpp"

namespace prof {

struct WalkStart {
  std::uintptr_t pc, sp, bp;
  bool interrupted;             // pc is the interrupted instruction itself, not a return address
  const ucontext_t* registers;  // of the interrupted frame; null for a call
};

struct WalkResult {
  std::uint32_t depth;
  bool truncated, broken;
  bool guessed;     // a caller was found by find_caller
  bool in_handler;  // a signal handler is among the frames
};

// The start of a walk for the caller of the agent. `fp`: the frame address of the function that asks. The agent is
// compiled with frame pointers, so that its own frames cost next to nothing. Any context.
WalkStart start_outside_agent(const std::uintptr_t* fp);

// Writes at most `room` lookup addresses, innermost first, leaving out libprof.so's own frames, and for each the end of
// its part of the stack: the stack pointer of its caller; of the outermost one UINTPTR_MAX. Frames of lent_frames.hpp
// are marked ones, once somebody asked for that. Any context.
WalkResult walk(const WalkStart& start, const StackBounds& own, RowCache& rows, ForeignWindow& foreign,
                std::uintptr_t* frames, std::uintptr_t* tops, std::uint32_t room);

}  // namespace prof
