// What the resident memory is made of, by /proc/self/smaps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/thread/guard.hpp"

namespace prof::memory {

enum class Occasion { Hook, Tick, End };

// The looks of this process so far: when the next one is worth its price, and the room to take it in.
struct Looks {
  static constexpr std::size_t kBuffer = 12 << 10;  // the kernel gives 4 KiB at a time

  log::MemoryRecord* records;  // [0] the last look, [1] the one with the highest rss; null: none yet
  std::uint64_t spent_ns;      // in all looks
  std::uint64_t cost_ns;       // of the last one
  std::uint64_t last_ns;       // CLOCK_MONOTONIC of it
  std::uint64_t last_rss;      // bytes, as /proc/self/statm said then
  std::uint64_t highest_rss;   // of all looks
  std::uint64_t wanted_ns;     // since when one is due that is too long for a tick; 0: none
  log::MemoryRecord record;    // being made
  char buffer[kBuffer];
  unsigned char resident[4096];  // by page
};

// Takes a look if it is due: when the resident memory (`rss`, bytes) has grown by much, or the last one is old; never
// more often than half a percent of the process's time allows (core/allowance.hpp), at the end one percent. A tick
// leaves a look that may take milliseconds to ordinary code, for some seconds. One caller at a time.
void look(Looks& looks, std::uint64_t now, std::uint64_t rss, Occasion occasion);

}  // namespace prof::memory
