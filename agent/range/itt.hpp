// The door for ITT: every library that embeds Intel's ittnotify loads what INTEL_LIBITTNOTIFY64 names and has it put
// functions into a table of its own.
#pragma once

namespace prof::range {

// What such a library passes: its global state, with the table in it. Ordinary code.
void attach_itt(void* global);

// Once at start.
void prepare_itt();

}  // namespace prof::range
