// How the process fares, kept in the log's header.
#pragma once

#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/thread/guard.hpp"

namespace prof {

// ru_maxrss in bytes: the most that was resident of this process and of the images that it was before. Any context.
std::uint64_t max_rss();

// A sign of life at `now` (CLOCK_MONOTONIC ns). Cheap; looks at the process's CPU clock each time and at its memory
// as often as memory::pass does. Any context; needs a log.
void note_life(const Guard& guard, std::uint64_t now);

// CLOCK_MONOTONIC ns from which on a pass has something to do; set by who does it. In memory that forked children find
// zeroed.
extern std::uint64_t* const pass_due;
std::uint64_t pass_now(const Guard& guard, std::uint64_t now);
// At `now` (CLOCK_MONOTONIC ns): has the features look at what is due. A comparison when nothing is. Returns the CPU
// time that it took of the calling thread, in ns. Hook and tick; needs a log.
inline std::uint64_t pass(const Guard& guard, std::uint64_t now) {
  if (now < __atomic_load_n(pass_due, __ATOMIC_RELAXED)) [[likely]]
    return 0;
  return pass_now(guard, now);
}

// Notes the most that was resident. Any context.
void note_memory(log::Header& header);

// What the process has used since its start, in ns of CPU time: as of the last sign of life, or where those are rare,
// now. Any context.
std::uint64_t cpu_time_so_far();

// CPU time of something that began when the calling thread `caller` had the CPU clock `began`, and was done by that
// thread or apart: then with what it takes to have a thread. Any context.
std::uint64_t cost_since(std::uint64_t began, std::uint32_t caller);

// The same, now, with everything. Process events.
void note_vitals(const Guard& guard);

// Of `elapsed` ns since the process's start: those in which it was at work, as of the last sign of life. What is
// bounded by a share of time is bounded by these: a server that mostly waits must not pay for its waiting. All of them
// where there are no ticks, since nobody looks at the clock then. Any context.
std::uint64_t cpu_time_of(std::uint64_t elapsed);

// Once at start.
void prepare_vitals();

}  // namespace prof
