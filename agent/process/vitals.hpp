// How the process fares, kept in the log's header.
#pragma once

#include <cstdint>

#include "agent/core/guard.hpp"

namespace prof {

// A sign of life at `now` (CLOCK_MONOTONIC ns). Cheap; looks at the process's CPU clock each time and at its memory
// as often as memory::pass does. Any context; needs a log.
void note_life(const Guard& guard, std::uint64_t now);

// The same, now, with everything. Process events.
void note_vitals(const Guard& guard);

}  // namespace prof
