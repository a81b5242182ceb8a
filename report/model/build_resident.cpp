#include "report/model/build_resident.hpp"

#include <algorithm>

namespace prof::model {

std::vector<SeriesPoint> build_series(const read::RawSeries& raw) {
  std::vector<SeriesPoint> points;
  points.reserve(raw.points.size());
  for (const log::SeriesPoint& from : raw.points) {
    SeriesPoint& point = points.emplace_back();
    point.begin_monotonic_ns = saturated_sum(raw.start_ns, from.slot * raw.slot_ns);
    point.end_monotonic_ns = saturated_sum(point.begin_monotonic_ns, raw.slot_ns);
    point.heap_live = std::max<std::int64_t>(0, from.heap_live);
    point.heap_high = std::max(from.heap_high, point.heap_live);
    point.maps_live = std::max<std::int64_t>(0, from.maps_live);
    point.python_live = std::max<std::int64_t>(0, from.python_live);
    point.rss = from.rss;
    point.rss_high = std::max(from.rss_high, from.rss);
    point.cpu_ns = from.cpu_ns;
    point.rss_file = std::min(from.rss_file, point.rss_high);
  }
  return points;
}

ResidentMemory resident_memory(const log::MemoryRecord& raw) {
  ResidentMemory memory;
  memory.monotonic_ns = raw.monotonic_ns;
  memory.rss = raw.rss;
  memory.pss = raw.pss;
  memory.uss = raw.uss;
  memory.swap = raw.swap;
  memory.heap_live = std::max<std::int64_t>(0, raw.heap_live);
  memory.maps_live = std::max<std::int64_t>(0, raw.maps_live);
  memory.python_live = std::max<std::int64_t>(0, raw.python_live);
  memory.mappings = raw.mappings;
  for (std::size_t i = 0; i < memory.parts.size(); ++i) {
    memory.parts[i] = {raw.parts[i].size, raw.parts[i].rss, raw.parts[i].pss, raw.parts[i].uss};
  }
  return memory;
}

}  // namespace prof::model
