// One piece of work of a device, as a record told it.
#pragma once

#include <cstdint>

namespace prof::gpu::cupti {

struct Work {
  std::uint64_t frame;       // Named(Kernel) or Named(Copy), with the device
  std::uint64_t start, end;  // CLOCK_MONOTONIC; both 0: not known
  std::uint64_t bytes;
  std::uint32_t device, context, stream;
  std::uint32_t correlation;
  bool timed() const { return end != 0; }
};

}  // namespace prof::gpu::cupti
