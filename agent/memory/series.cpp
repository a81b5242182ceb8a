#include "agent/memory/series.hpp"

#include <initializer_list>

namespace prof::memory {
namespace {

constexpr std::uint32_t kUnknown = UINT32_MAX;

std::uint32_t mean(std::uint32_t before, std::uint32_t looks, std::uint32_t seen) {
  if (before == kUnknown || seen == kUnknown) return before == kUnknown ? seen : before;
  return static_cast<std::uint32_t>((std::uint64_t{before} * looks + seen) / (std::uint64_t{looks} + 1));
}

}  // namespace

void merge(log::SeriesPoint& point, const log::SeriesPoint& later, std::uint32_t) {
  const std::int64_t heap_high = point.heap_high > later.heap_high ? point.heap_high : later.heap_high;
  const bool higher_before = point.rss_high > later.rss_high;
  const std::uint64_t rss_high = higher_before ? point.rss_high : later.rss_high;
  const std::uint64_t rss_file = higher_before ? point.rss_file : later.rss_file;
  const std::uint64_t slot = point.slot;
  point = later;
  point.slot = slot;
  point.heap_high = heap_high;
  point.rss_high = rss_high;
  point.rss_file = rss_file;
}

void merge(log::DevicePoint& point, const log::DevicePoint& later, std::uint32_t looks) {
  const log::DevicePoint before = point;
  point = later;
  point.slot = before.slot;
  for (std::uint32_t log::DevicePoint::*const rate :
       {&log::DevicePoint::busy_percent, &log::DevicePoint::memory_busy_percent, &log::DevicePoint::power_mw,
        &log::DevicePoint::temperature_c, &log::DevicePoint::clock_mhz, &log::DevicePoint::memory_clock_mhz}) {
    point.*rate = mean(before.*rate, looks, later.*rate);
  }
}

std::uint64_t checkpoint_at(std::uint64_t ns) {
  std::uint64_t units = ns / log::kCheckpointNs;
  if (units > UINT32_MAX) units = UINT32_MAX;
  std::uint64_t shift = 0;
  while (units >> shift > log::kCheckpoints) ++shift;
  return shift << 32 | units >> shift << shift;
}

}  // namespace prof::memory
