// The points of a chunk that holds a series: a SeriesHeader and two arrays, of which one counts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "report/read/chunks.hpp"
#include "report/read/schema.hpp"

namespace prof::read {

template <typename Point>
struct Points {
  std::uint64_t start_ns = 0;  // CLOCK_MONOTONIC
  std::uint64_t slot_ns = 0;   // never 0
  std::vector<Point> points;   // slots ascend
};

// Slots longer than this would be of no process that ever ran; times then stay far from the ends of their range.
inline constexpr std::uint64_t kLongestSlotNs = std::uint64_t{1} << 60;

// Nothing when no point was published, and - counted in `damage` - when the header contradicts itself. Points that do
// not follow each other are counted and left out.
template <typename Point>
std::optional<Points<Point>> read_points(const Chunk& chunk, log::RecordClass what, const Schema& schema, Bytes bytes,
                                         Damage& damage) {
  if (chunk.end - chunk.begin < sizeof(log::SeriesHeader)) return std::nullopt;
  const auto header = load<log::SeriesHeader>(bytes, chunk.begin);
  if (header.published == 0) return std::nullopt;
  const std::uint64_t shift = header.published >> 24 & 0xff, active = header.published >> 16 & 0xff;
  const std::uint64_t count = header.published & 0xffff;
  const std::uint64_t room = chunk.end - chunk.begin - sizeof header;
  const bool sound = shift < 60 && header.base_ns != 0 && header.base_ns <= kLongestSlotNs >> shift && active < 2 &&
                     count <= header.points && header.point_bytes >= sizeof(std::uint64_t) &&
                     header.points <= room / 2 / header.point_bytes;
  if (!sound) {
    ++damage.bad_records;
    return std::nullopt;
  }
  Points<Point> out{header.start_ns, header.base_ns << shift, {}};
  std::size_t at = chunk.begin + sizeof header + active * header.points * header.point_bytes;
  for (std::uint64_t i = 0; i < count; ++i, at += header.point_bytes) {
    const auto point = schema.words<Point>(what, part(bytes, at, header.point_bytes));
    const bool follows = out.points.empty() || point.slot > out.points.back().slot;
    if (!follows || point.slot > kLongestSlotNs / out.slot_ns) {
      ++damage.bad_records;
      continue;
    }
    out.points.push_back(point);
  }
  return out;
}

}  // namespace prof::read
