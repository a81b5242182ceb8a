// How much CPU time a stretch of the profiler's own work took on its thread. A stretch of some microseconds is what the
// wall clock says: hardly one so short was interrupted. What took longer may have waited for a processor, or for a
// page: then it took no more than the thread has used since somebody looked at its CPU clock last. To look at the start
// of every stretch would be sure, and double the price of a heap sample.
#pragma once

#include <cstdint>

#include "agent/core/clock.hpp"

namespace prof {

class OwnTime {
 public:
  // `cpu_seen`: the thread's CPU clock when it was looked at last, ns; stays with the thread. A tick may set it.
  explicit OwnTime(std::uint64_t& cpu_seen) : began_(clock::monotonic()), cpu_seen_(cpu_seen) {}

  // CLOCK_MONOTONIC ns.
  std::uint64_t began() const { return began_; }

  // ns of CPU time from the beginning to `now` (CLOCK_MONOTONIC), which is now; at most. To be asked once.
  std::uint64_t until(std::uint64_t now) const {
    constexpr std::uint64_t kSureNs = 10'000;
    const std::uint64_t wall = now - began_;
    if (wall < kSureNs) [[likely]]
      return wall;
    const std::uint64_t cpu = clock::thread_cpu();
    const std::uint64_t used = cpu - cpu_seen_;
    cpu_seen_ = cpu;
    return used < wall ? used : wall;
  }

 private:
  std::uint64_t began_;
  std::uint64_t& cpu_seen_;
};

}  // namespace prof
