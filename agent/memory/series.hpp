// The process's memory over time in a fixed room: points by slots of time, thinned as the process lives on. The layout
// is the log's (format_memory.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/log/format.hpp"

namespace prof::memory {

// Bytes of a series of `points` points: its header and its two arrays.
constexpr std::size_t series_bytes(std::uint32_t points) {
  return sizeof(log::SeriesHeader) + std::size_t{2} * points * sizeof(log::SeriesPoint);
}

// Makes an empty series in zeroed room of series_bytes(points). `start_ns`: CLOCK_MONOTONIC.
void begin_series(log::SeriesHeader& series, std::uint64_t start_ns, std::uint32_t points);

// Books what was seen at `now_ns` (CLOCK_MONOTONIC): in the last point if its slot has not passed, else as a new one.
// `seen.slot` does not matter. One writer at a time; readers may look at any instant. Any context.
void add_point(log::SeriesHeader& series, log::SeriesPoint seen, std::uint64_t now_ns);

// Continues `from` in `to`, which is empty and has room for at least as many points.
void continue_series(log::SeriesHeader& to, const log::SeriesHeader& from);

// PeakClock's checkpoint after `ns` since the start: the last moment that was passed and its spacing.
std::uint64_t checkpoint_at(std::uint64_t ns);

}  // namespace prof::memory
