// The memory of the process as a whole, looked at by whoever passes: no thread of ours is needed, and a process that
// does nothing is not looked at.
#pragma once

#include <cstdint>

#include "agent/thread/guard.hpp"

namespace prof::memory {

// At `now` (CLOCK_MONOTONIC ns), ten times a second at most: the peak clocks' checkpoints; and, as far as half a
// percent of the CPU time and a twenty-thousandth of the process's age allow each, a point of the series and a look at
// what the memory is made of. Called when vitals.hpp's pass_due
// is over. Some ten microseconds, and up to some
// milliseconds for a look, which in a process with threads pass while the caller goes on (core/apart.hpp). Returns the
// CPU time that it took of the calling thread, in ns. Hook and tick; needs a log.
std::uint64_t pass(const Guard& guard, std::uint64_t now);

// The process ends or becomes another: the last point, and a look if it costs less than a percent of the process's
// time. Process events.
void last_pass(const Guard& guard, std::uint64_t now);

// Once at start.
void prepare_passes();

}  // namespace prof::memory
