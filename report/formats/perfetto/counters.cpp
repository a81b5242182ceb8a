#include <fmt/format.h>

#include "report/formats/perfetto/fields.hpp"
#include "report/formats/perfetto/parts.hpp"
#include "report/show/processes.hpp"

namespace prof::formats::perfetto {

std::size_t write_counters(Sequence& sequence, Tracks& tracks, const model::Process& process) {
  std::size_t packets = 0;
  const auto write = [&](const std::string& name, std::uint64_t monotonic_ns, std::int64_t value) {
    ProtoMessage event, packet;
    event.integer(event::kType, std::uint64_t{event::kCounter});
    event.integer(event::kTrack, tracks.counter(name));
    event.present(event::kValue, value);
    packet.present(packet::kTimestamp, tracks.time(monotonic_ns));
    packet.message(packet::kTrackEvent, event);
    sequence.write(std::move(packet));
    ++packets;
  };
  const bool heap = show::heap_recorded(process);
  for (const model::SeriesPoint& point : process.series) {
    write("RSS", point.end_monotonic_ns, model::to_signed(point.rss));
    if (heap) write("Heap", point.end_monotonic_ns, point.heap_live);
  }
  for (const model::DeviceSeries& series : process.device_series) {
    const std::string name = fmt::format("GPU {} memory", series.device);
    for (const model::DevicePoint& point : series.points) {
      write(name, point.end_monotonic_ns, model::to_signed(point.used_bytes));
    }
  }
  return packets;
}

}  // namespace prof::formats::perfetto
