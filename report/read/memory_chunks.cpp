#include "report/read/memory_chunks.hpp"

#include "report/read/points.hpp"

namespace prof::read {
namespace {

std::optional<log::MemoryRecord> whole_record(const Chunk& chunk, std::size_t index, Bytes bytes) {
  const std::size_t at = chunk.begin + index * sizeof(log::MemoryRecord);
  if (at + sizeof(log::MemoryRecord) > chunk.end || !holds(bytes, at, sizeof(log::MemoryRecord))) return std::nullopt;
  const auto record = load<log::MemoryRecord>(bytes, at);
  if (record.sequence == 0 || record.sequence % 2 != 0) return std::nullopt;
  return record;
}

}  // namespace

void read_series(const Chunk& chunk, const Schema& schema, Bytes later, RawLog& log) {
  if (log.series) return;
  if (auto points = read_points<log::SeriesPoint>(chunk, log::RecordClass::SeriesPoint, schema, later, log.damage)) {
    log.series = RawSeries{points->start_ns, points->slot_ns, std::move(points->points)};
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
