#include "agent/memory/series.hpp"

#include <cstring>

namespace prof::memory {
namespace {

struct Published {
  std::uint32_t generation;
  std::uint32_t shift, active, count;
};

Published unpack(std::uint64_t word) {
  return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word >> 24 & 0xff),
          static_cast<std::uint32_t>(word >> 16 & 1), static_cast<std::uint32_t>(word & 0xffff)};
}

void publish(log::SeriesHeader& series, const Published& p) {
  const std::uint64_t word =
      std::uint64_t{p.generation} << 32 | std::uint64_t{p.shift} << 24 | std::uint64_t{p.active} << 16 | p.count;
  __atomic_store_n(&series.published, word, __ATOMIC_RELEASE);
}

log::SeriesPoint* array_of(log::SeriesHeader& series, std::uint32_t active) {
  return reinterpret_cast<log::SeriesPoint*>(&series + 1) + std::size_t{active} * series.points;
}

// `later` happened in the same slot as `point`.
void merge(log::SeriesPoint& point, const log::SeriesPoint& later) {
  const std::int64_t heap_high = point.heap_high > later.heap_high ? point.heap_high : later.heap_high;
  const std::uint64_t rss_high = point.rss_high > later.rss_high ? point.rss_high : later.rss_high;
  const std::uint64_t slot = point.slot;
  point = later;
  point.slot = slot;
  point.heap_high = heap_high;
  point.rss_high = rss_high;
}

// One pass over `from` may not be enough: points that stand far apart have no neighbour to be merged with.
Published thinned(log::SeriesHeader& series, const Published& old) {
  constexpr std::uint32_t kMostShift = 40;
  Published p{old.generation + 1, old.shift, old.active ^ 1, old.count};
  const log::SeriesPoint* from = array_of(series, old.active);
  log::SeriesPoint* to = array_of(series, p.active);
  while (p.count > series.points / 4 * 3 && p.shift < kMostShift) {
    ++p.shift;
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < p.count; ++i) {
      log::SeriesPoint point = from[i];
      point.slot >>= 1;
      if (count > 0 && to[count - 1].slot == point.slot)
        merge(to[count - 1], point);
      else
        to[count++] = point;
    }
    p.count = count;
    from = to;
  }
  return p;
}

}  // namespace

void begin_series(log::SeriesHeader& series, std::uint64_t start_ns, std::uint32_t points) {
  series.start_ns = start_ns;
  series.base_ns = log::kSeriesBaseNs;
  series.points = points;
  series.point_bytes = sizeof(log::SeriesPoint);
  publish(series, {1, 0, 0, 0});
}

void add_point(log::SeriesHeader& series, log::SeriesPoint seen, std::uint64_t now_ns) {
  Published p = unpack(series.published);
  if (p.count == series.points) publish(series, p = thinned(series, p));
  seen.slot = (now_ns > series.start_ns ? now_ns - series.start_ns : 0) / series.base_ns >> p.shift;
  log::SeriesPoint* points = array_of(series, p.active);
  if (p.count > 0 && seen.slot <= points[p.count - 1].slot) return merge(points[p.count - 1], seen);
  if (p.count == series.points) return;  // the clock jumped by centuries
  points[p.count] = seen;
  ++p.count;
  publish(series, p);
}

void continue_series(log::SeriesHeader& to, const log::SeriesHeader& from) {
  auto& source = const_cast<log::SeriesHeader&>(from);
  const Published p = unpack(from.published);
  std::memcpy(array_of(to, 0), array_of(source, p.active), p.count * sizeof(log::SeriesPoint));
  publish(to, {1, p.shift, 0, p.count});
}

std::uint64_t checkpoint_at(std::uint64_t ns) {
  std::uint64_t units = ns / log::kCheckpointNs;
  if (units > UINT32_MAX) units = UINT32_MAX;
  std::uint64_t shift = 0;
  while (units >> shift > log::kCheckpoints) ++shift;
  return shift << 32 | units >> shift << shift;
}

}  // namespace prof::memory
