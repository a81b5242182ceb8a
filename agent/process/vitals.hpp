// How the process fares, kept in the log's header.
#pragma once

#include <cstdint>

namespace prof {

// A sign of life at `now` (CLOCK_MONOTONIC ns). Cheap; looks at the process's CPU clock each time and at its memory
// once a second. Any context; needs a log.
void note_life(std::uint64_t now);

// The same, now, with everything. Process events.
void note_vitals();

}  // namespace prof
