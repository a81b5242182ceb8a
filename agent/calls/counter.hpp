// The clock of exact modes: the processor's time stamp counter where it runs at a constant rate, which costs a quarter
// of a clock_gettime, and the monotonic clock elsewhere. Its unit is a tick; times are written to the log in
// nanoseconds, so what a log holds is right at every instant.
#pragma once

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include <cstdint>

#include "agent/core/clock.hpp"

namespace prof::python::calls {

// What `now` reads; see prepare_counter.
extern bool g_has_counter;

// Ticks; any context.
inline std::uint64_t now() {
#if defined(__x86_64__)
  if (g_has_counter) [[likely]]
    return __rdtsc();
#endif
  return clock::monotonic();
}

__extension__ using Wide = unsigned __int128;

// Nanoseconds of so many ticks, rounded; `rate` as counter_rate gives it. A difference that went below zero (a
// processor whose counter lags) is none.
inline std::uint64_t nanoseconds(std::uint64_t ticks, std::uint64_t rate) {
  return static_cast<std::uint64_t>((static_cast<Wide>(ticks) * rate + (1U << 31)) >> 32);
}

// Takes the first of two readings that tell the counter's rate. Once, as early as possible.
void prepare_counter();
// Takes the second one; the rate in nanoseconds per 2^32 ticks, never 0. Called some milliseconds after
// prepare_counter; waits if they have not passed. Ordinary code.
std::uint64_t counter_rate();

}  // namespace prof::python::calls
