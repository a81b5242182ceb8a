// The times in CUPTI's records, as CLOCK_MONOTONIC. Which clock a record has depends on the version: ours, where CUPTI
// takes a callback; CLOCK_REALTIME before CUDA 11.6. Each is recognised by the times that it can have had. The clock of
// another client never gets into CUPTI: see client_times.hpp.
#pragma once

#include <cstdint>

namespace prof::gpu::cupti {

class Times {
 public:
  // Before records are read: compares the clocks.
  void look();

  // 0: no time that this process can have had.
  std::uint64_t monotonic(std::uint64_t recorded) const;

 private:
  std::uint64_t now_;
  std::uint64_t realtime_ahead_;  // of CLOCK_MONOTONIC, ns
};

}  // namespace prof::gpu::cupti
