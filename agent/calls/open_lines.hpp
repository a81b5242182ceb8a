// The lines that are being run in one thread: one for each frame of a chosen function that is on its stack.
#pragma once

#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/thread/guard.hpp"

namespace prof::python::calls {

// A frame of `code` begins or goes on. `frame` tells it from others of the same code, or is the code itself.
void frame_begins(const void* frame, const void* code);
// It comes to a line. A frame that was not seen to begin is taken to do so here, if `code` is given.
void line_begins(const void* frame, const void* code, std::uint32_t line);
// It ends or pauses.
void frame_ends(const void* frame);
// Whether `frame` is the innermost one that is counted.
bool is_innermost(const void* frame);

}  // namespace prof::python::calls
