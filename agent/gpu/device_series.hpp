// How a device fared over time, as the driver says: DeviceSeries chunks of the log.
#pragma once

#include <cstdint>

#include "agent/contract/format.hpp"

namespace prof::gpu {

// The series of one device. Lives in memory that forked children find zeroed; one writer.
struct DeviceSeries {
  log::SeriesHeader* header;  // in the log; null until there is something to tell
  std::uint32_t looks;        // that went into the last point

  // Books what was seen at `now_ns` (CLOCK_MONOTONIC). Needs a log.
  void add(std::uint32_t device, const log::DevicePoint& seen, std::uint64_t now_ns);
};

}  // namespace prof::gpu
