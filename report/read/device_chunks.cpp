#include "report/read/device_chunks.hpp"

#include <algorithm>

#include "report/read/points.hpp"

namespace prof::read {

void read_devices(const Chunk& chunk, Bytes later, RawLog& log) {
  std::uint64_t index = chunk.header.first;
  for (std::size_t at = chunk.begin; at + sizeof(log::DeviceRecord) <= chunk.end;
       at += sizeof(log::DeviceRecord), ++index) {
    const auto record = load<log::DeviceRecord>(later, at);
    if (record.state == 0) continue;
    if (index >= kMostDevices) {
      ++log.damage.bad_references;
      return;
    }
    const auto known = [&](const RawDevice& device) { return device.index == index; };
    if (std::none_of(log.devices.begin(), log.devices.end(), known)) {
      log.devices.push_back({static_cast<std::uint32_t>(index), record});
    }
  }
}

void read_device_series(const Chunk& chunk, const Schema& schema, Bytes later, RawLog& log) {
  const std::uint32_t device = chunk.header.owner;
  const auto known = [&](const RawDeviceSeries& series) { return series.device == device; };
  if (std::any_of(log.device_series.begin(), log.device_series.end(), known)) return;
  if (device >= kMostDevices) {
    ++log.damage.bad_references;
    return;
  }
  if (auto points = read_points<log::DevicePoint>(chunk, log::RecordClass::DevicePoint, schema, later, log.damage)) {
    log.device_series.push_back({device, points->start_ns, points->slot_ns, std::move(points->points)});
  }
}

void read_trace(const Chunk& chunk, Bytes later, RawLog& log) {
  if (log.trace || chunk.end - chunk.begin < sizeof(log::TraceHeader)) return;
  const auto header = load<log::TraceHeader>(later, chunk.begin);
  const std::uint64_t room = chunk.end - chunk.begin - sizeof header;
  if (header.events == 0 || header.event_bytes < sizeof(std::uint64_t) || header.events > room / header.event_bytes) {
    ++log.damage.bad_records;
    return;
  }
  RawTrace& trace = log.trace.emplace();
  trace.written = header.next;
  const std::uint64_t count = std::min<std::uint64_t>(header.next, header.events);
  for (std::uint64_t i = header.next - count; i != header.next; ++i) {
    const std::size_t at = chunk.begin + sizeof header + i % header.events * header.event_bytes;
    const auto bytes = std::min<std::size_t>(header.event_bytes, sizeof(log::TraceEvent));
    const auto event = load<log::TraceEvent>(part(later, at, bytes), 0);
    if (event.sequence != i + 1) {
      ++trace.torn;
    } else if (event.end_ns < event.start_ns) {
      ++log.damage.bad_records;
    } else {
      trace.events.push_back(event);
    }
  }
}

}  // namespace prof::read
