#include "report/read/memory_chunks.hpp"

#include <algorithm>

namespace prof::read {
namespace {

// Slots longer than this would be of no process that ever ran; times then stay far from the ends of their range.
constexpr std::uint64_t kLongestSlotNs = std::uint64_t{1} << 60;

std::optional<log::MemoryRecord> whole_record(const Chunk& chunk, std::size_t index, Bytes bytes) {
  const std::size_t at = chunk.begin + index * sizeof(log::MemoryRecord);
  if (at + sizeof(log::MemoryRecord) > chunk.end || !holds(bytes, at, sizeof(log::MemoryRecord))) return std::nullopt;
  const auto record = load<log::MemoryRecord>(bytes, at);
  if (record.sequence == 0 || record.sequence % 2 != 0) return std::nullopt;
  return record;
}

}  // namespace

void read_series(const Chunk& chunk, Bytes later, RawLog& log) {
  if (log.series || chunk.end - chunk.begin < sizeof(log::SeriesHeader)) return;
  const auto header = load<log::SeriesHeader>(later, chunk.begin);
  if (header.published == 0) return;  // no point yet
  const std::uint64_t shift = header.published >> 24 & 0xff, active = header.published >> 16 & 0xff;
  const std::uint64_t count = header.published & 0xffff;
  const std::uint64_t room = chunk.end - chunk.begin - sizeof header;
  const bool sound = shift < 60 && header.base_ns != 0 && header.base_ns <= kLongestSlotNs >> shift && active < 2 &&
                     count <= header.points && header.point_bytes >= sizeof(std::uint64_t) &&
                     header.points <= room / 2 / header.point_bytes;
  if (!sound) {
    ++log.damage.bad_records;
    return;
  }
  RawSeries& series = log.series.emplace();
  series.start_ns = header.start_ns;
  series.slot_ns = header.base_ns << shift;
  std::size_t at = chunk.begin + sizeof header + active * header.points * header.point_bytes;
  for (std::uint64_t i = 0; i < count; ++i, at += header.point_bytes) {
    const auto point =
        load<log::SeriesPoint>(part(later, at, std::min<std::size_t>(header.point_bytes, sizeof(log::SeriesPoint))), 0);
    const bool follows = series.points.empty() || point.slot > series.points.back().slot;
    if (!follows || point.slot > kLongestSlotNs / series.slot_ns) {
      ++log.damage.bad_records;
      continue;
    }
    series.points.push_back(point);
  }
}

void read_memory(const Chunk& chunk, Bytes earlier, Bytes later, RawLog& log) {
  const auto take = [&](std::size_t index, std::optional<log::MemoryRecord>& to) {
    if (to) return;
    to = whole_record(chunk, index, later);
    if (!to) to = whole_record(chunk, index, earlier);
  };
  take(0, log.memory_last);
  take(1, log.memory_high);
}

}  // namespace prof::read
