// The times in the copies of records that another client of CUPTI gets, in the clock that it expects. CUPTI itself
// keeps our clock all the while: a clock that changes in the middle of a session leaves records stamped by the one
// before, which nobody can tell from the others (measured with CUDA 13.0: 15 to 25 % of the kernels of short runs with
// PyTorch's profiler had no time that made sense).
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/gpu/cupti/abi.hpp"

namespace prof::gpu::cupti {

// Two clocks read at one moment: the client's ticks, and CLOCK_MONOTONIC in ns.
struct ClockPair {
  std::uint64_t theirs, monotonic;
};
// Reads `clock` and ours as closely together as a few attempts get. Any thread, wherever `clock` may be called.
ClockPair read_both(Timestamp clock);

class ClientTimes {
 public:
  // `clock`: the client's, and `first` a reading from when it was set; null: it has none, and expects CLOCK_REALTIME,
  // as CUPTI has without a callback. Reads the clocks once more. Any thread.
  ClientTimes(Timestamp clock, const ClockPair& first);
  // In the clock of the client; times before and after the two readings are extrapolated. Times of no record of ours
  // (0, or of CLOCK_REALTIME already) stay as they are.
  std::uint64_t theirs(std::uint64_t monotonic) const;
  // Converts the times of a record of `bytes` bytes, of the kinds whose layout is known.
  void convert(std::uint8_t* record, std::size_t bytes) const;

 private:
  ClockPair first_, last_;
};

}  // namespace prof::gpu::cupti
