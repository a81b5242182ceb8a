// CLOCK_MONOTONIC by the processor's time-stamp counter, for times that are so many and so short that the system's
// clock would cost more than all that is done with them: a third of the price of clock_gettime.
//
// Used from when it has been compared with the system's clock for long enough, in processes that ask for it often, and
// where the counter runs at one rate and the kernel itself keeps its time by it; until then, and elsewhere, it is the
// system's clock. Differences are right within 1/10,000, and moments within about a microsecond of the system's clock
// as long as `tune` is called now and then. Where the counter and the system's clock come apart (the machine slept, or
// went on elsewhere) it is the system's clock from the next comparison on: for what stands across that moment it
// may go back.
#pragma once

#include <x86intrin.h>

#include <atomic>
#include <cstdint>

#include "agent/core/clock.hpp"

namespace prof::clock {

struct Quick {
  std::atomic<std::uint64_t> factor;  // ns per unit, times 2^32; 0: not in use yet; kGone
  std::uint64_t at, ns;               // one moment, by both
  std::atomic<std::uint64_t> due;     // ns: when it is to be compared again; UINT64_MAX: never
};
constexpr std::uint64_t kGone = 1;  // a factor: not in use any more
extern constinit Quick quick_state;

// For good, in this process and what it forks: the program gives up the time-stamp counter. To be called before it
// does. Any context.
void forbid_counter();

// The system's clock, out of line.
std::uint64_t system_quick();

// ns. Any context.
inline std::uint64_t quick() {
  const std::uint64_t factor = quick_state.factor.load(std::memory_order_acquire);
  if (factor <= kGone) [[unlikely]]
    return system_quick();
  const std::uint64_t units = __rdtsc() - quick_state.at;
  if (static_cast<std::int64_t>(units) < 0) [[unlikely]]  // it began anew
    return system_quick();
  __extension__ using Wide = unsigned __int128;
  return quick_state.ns + static_cast<std::uint64_t>(Wide{units} * factor >> 32);
}

void tune_now();

// Compares the two clocks where that is due; `now`: what either says. At first that takes some system calls: to be
// called where the clock is asked often. Ordinary code; never waits.
inline void tune(std::uint64_t now) {
  if (now >= quick_state.due.load(std::memory_order_relaxed)) [[unlikely]]
    tune_now();
}

}  // namespace prof::clock
