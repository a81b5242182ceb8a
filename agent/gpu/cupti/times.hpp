// The times in CUPTI's records, as CLOCK_MONOTONIC. Which clock a record has depends on when it was made: ours, once
// CUPTI has our callback; CLOCK_REALTIME, with versions before CUDA 11.6; the clock of another client of CUPTI in this
// process, which replaced ours. Each is recognised by the times that it can have had.
#pragma once

#include <cstdint>

#include "agent/gpu/cupti/abi.hpp"

namespace prof::gpu::cupti {

class Times {
 public:
  // Before records are read: compares the clocks. Of one that is new it waits for a second reading.
  void look();
  // Another client's clock is in force from now on. Any thread.
  void use_client(Timestamp clock);

  // 0: no time that this process can have had.
  std::uint64_t monotonic(std::uint64_t recorded) const;

 private:
  struct Pair {
    std::uint64_t theirs, monotonic;
  };
  static Pair read(Timestamp clock);
  std::uint64_t of_client(std::uint64_t recorded) const;

  std::uint64_t now_;
  std::uint64_t realtime_ahead_;  // of CLOCK_MONOTONIC, ns
  Timestamp client_;              // stored after `first_`
  Pair first_, last_;             // of `client_`
};

}  // namespace prof::gpu::cupti
