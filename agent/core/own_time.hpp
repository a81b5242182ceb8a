// How much CPU time a stretch of the profiler's own work took on its thread. A stretch of some microseconds is what the
// wall clock says: hardly one so short was interrupted, and a CPU clock costs as much as many of them take. What took
// longer may have waited for a processor, or for a page: then the thread's CPU clock decides.
#pragma once

#include <cstdint>

#include "agent/core/clock.hpp"

namespace prof {

class OwnTime {
 public:
  // A system call, behind which everything is slower: for what is done for one call of the program in many, and stands
  // for itself alone.
  OwnTime() : began_(clock::monotonic()), cpu_(clock::thread_cpu()) {}

  // CLOCK_MONOTONIC ns.
  std::uint64_t began() const { return began_; }

  // ns of CPU time from the beginning to `now` (CLOCK_MONOTONIC), which is now.
  std::uint64_t until(std::uint64_t now) const {
    constexpr std::uint64_t kSureNs = 10'000;
    const std::uint64_t wall = now - began_;
    if (wall < kSureNs) [[likely]]
      return wall;
    const std::uint64_t used = clock::thread_cpu() - cpu_;
    return used < wall ? used : wall;
  }

 private:
  std::uint64_t began_;
  std::uint64_t cpu_;
};

}  // namespace prof
