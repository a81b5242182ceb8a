// PROF_UNWINDER=libunwind: stacks of allocations by libunwind instead of our own walker, for comparison.
//
// libunwind is loaded RTLD_LOCAL: as a needed library it would take over _Unwind_* of the whole process and make every
// C++ throw in an extension module twenty to forty times slower. Only ordinary code uses it: it takes the dynamic
// loader's lock and one of its own, so that a tick inside either would never return; and a forked child goes back to
// the walker, since another thread may have held those locks. It also opens a pipe in the host, and calls malloc once
// in every thread.
#pragma once

#include <cstdint>

#include "agent/unwind/walk.hpp"

namespace prof {

// Loads it if the user asked for it: beside libprof.so, else the system's. Notes a Condition when there is none. Once
// at start.
void prepare_libunwind();

// Whether stacks of ordinary code are to be taken by it.
bool libunwind_chosen();

// Like `walk`, for the calling function's caller. Ordinary code only, under a guard.
WalkResult libunwind_walk(std::uintptr_t* frames, std::uint32_t room);

// In a forked child: never again.
void forget_libunwind();

}  // namespace prof
