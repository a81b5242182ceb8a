#include "agent/gpu/device_series.hpp"

#include "agent/core/process.hpp"
#include "agent/log/file.hpp"
#include "agent/memory/series.hpp"

namespace prof::gpu {

void DeviceSeries::add(std::uint32_t device, const log::DevicePoint& seen, std::uint64_t now_ns) {
  constexpr std::size_t bytes = memory::series_bytes<log::DevicePoint>(log::kDeviceSeriesPoints);
  if (header == nullptr) {
    log::ChunkHeader* chunk =
        log::take_chunk(log::ChunkType::DeviceSeries, device, 0, sizeof(log::ChunkHeader) + bytes);
    if (chunk == nullptr) return;
    header = log::content<log::SeriesHeader>(chunk);
    memory::begin_series<log::DevicePoint>(*header, process().start_monotonic_ns, log::kDeviceSeriesPoints,
                                           log::kDeviceSeriesBaseNs);
  }
  looks = memory::add_point(*header, seen, now_ns, looks) ? 1 : looks + 1;
}

}  // namespace prof::gpu
