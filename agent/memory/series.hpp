// What changes over time in a fixed room: points by slots of time, thinned as the process lives on. The layout is the
// log's: format_memory.hpp for the process's memory, format_device.hpp for devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "agent/contract/format.hpp"

namespace prof::memory {

// Bytes of a series of `points` points: its header and its two arrays.
template <class Point = log::SeriesPoint>
constexpr std::size_t series_bytes(std::uint32_t points) {
  return sizeof(log::SeriesHeader) + std::size_t{2} * points * sizeof(Point);
}

// Makes an empty series in zeroed room of series_bytes(points). `start_ns`: CLOCK_MONOTONIC.
template <class Point = log::SeriesPoint>
void begin_series(log::SeriesHeader& series, std::uint64_t start_ns, std::uint32_t points,
                  std::uint64_t base_ns = log::kSeriesBaseNs);

// `later` was seen in the same slot as `point`, for which `looks` were taken before: amounts are then the later ones,
// peaks the higher ones, with what is told of them, rates the mean of all looks.
void merge(log::SeriesPoint& point, const log::SeriesPoint& later, std::uint32_t looks);
void merge(log::DevicePoint& point, const log::DevicePoint& later, std::uint32_t looks);

// Books what was seen at `now_ns` (CLOCK_MONOTONIC): in the last point if its slot has not passed, else as a new one.
// `seen.slot` does not matter; `looks`: how many went into the last point. True: it is a new one. One writer at a time;
// readers may look at any instant. Any context.
template <class Point>
bool add_point(log::SeriesHeader& series, Point seen, std::uint64_t now_ns, std::uint32_t looks = 1);

// Continues `from` in `to`, which is empty and has room for at least as many points.
template <class Point = log::SeriesPoint>
void continue_series(log::SeriesHeader& to, const log::SeriesHeader& from);

// PeakClock's checkpoint after `ns` since the start: the last moment that was passed and its spacing.
std::uint64_t checkpoint_at(std::uint64_t ns);

// SeriesHeader::published.
struct Published {
  std::uint32_t generation;
  std::uint32_t shift, active, count;
};

inline Published unpack(std::uint64_t word) {
  return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word >> 24 & 0xff),
          static_cast<std::uint32_t>(word >> 16 & 1), static_cast<std::uint32_t>(word & 0xffff)};
}

inline void publish(log::SeriesHeader& series, const Published& p) {
  const std::uint64_t word =
      std::uint64_t{p.generation} << 32 | std::uint64_t{p.shift} << 24 | std::uint64_t{p.active} << 16 | p.count;
  __atomic_store_n(&series.published, word, __ATOMIC_RELEASE);
}

template <class Point>
Point* array_of(log::SeriesHeader& series, std::uint32_t active) {
  return reinterpret_cast<Point*>(&series + 1) + std::size_t{active} * series.points;
}

// One pass over `from` may not be enough: points that stand far apart have no neighbour to be merged with.
template <class Point>
Published thinned(log::SeriesHeader& series, const Published& old) {
  constexpr std::uint32_t kMostShift = 40;
  Published p{old.generation + 1, old.shift, old.active ^ 1, old.count};
  const Point* from = array_of<Point>(series, old.active);
  Point* to = array_of<Point>(series, p.active);
  while (p.count > series.points / 4 * 3 && p.shift < kMostShift) {
    ++p.shift;
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < p.count; ++i) {
      Point point = from[i];
      point.slot >>= 1;
      if (count > 0 && to[count - 1].slot == point.slot)
        merge(to[count - 1], point, 1);
      else
        to[count++] = point;
    }
    p.count = count;
    from = to;
  }
  return p;
}

template <class Point>
void begin_series(log::SeriesHeader& series, std::uint64_t start_ns, std::uint32_t points, std::uint64_t base_ns) {
  series.start_ns = start_ns;
  series.base_ns = base_ns;
  series.points = points;
  series.point_bytes = sizeof(Point);
  publish(series, {1, 0, 0, 0});
}

template <class Point>
bool add_point(log::SeriesHeader& series, Point seen, std::uint64_t now_ns, std::uint32_t looks) {
  Published p = unpack(series.published);
  if (p.count == series.points) publish(series, p = thinned<Point>(series, p));
  seen.slot = (now_ns > series.start_ns ? now_ns - series.start_ns : 0) / series.base_ns >> p.shift;
  Point* points = array_of<Point>(series, p.active);
  if (p.count > 0 && seen.slot <= points[p.count - 1].slot) {
    merge(points[p.count - 1], seen, looks);
    return false;
  }
  if (p.count == series.points) return false;  // the clock jumped by centuries
  points[p.count] = seen;
  ++p.count;
  publish(series, p);
  return true;
}

template <class Point>
void continue_series(log::SeriesHeader& to, const log::SeriesHeader& from) {
  auto& source = const_cast<log::SeriesHeader&>(from);
  const Published p = unpack(from.published);
  std::memcpy(array_of<Point>(to, 0), array_of<Point>(source, p.active), p.count * sizeof(Point));
  publish(to, {1, p.shift, 0, p.count});
}

}  // namespace prof::memory
