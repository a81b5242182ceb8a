#include "report/model/gpu_metrics.hpp"

namespace prof::model {
namespace {

void add(std::int64_t& to, std::int64_t value) { to = saturated_sum(to, value); }

}  // namespace

Extremes& Extremes::operator+=(const Extremes& other) {
  if (other.min_ns) min_ns = min_ns ? std::min(*min_ns, *other.min_ns) : *other.min_ns;
  if (other.max_ns) max_ns = max_ns ? std::max(*max_ns, *other.max_ns) : *other.max_ns;
  return *this;
}

ApiMetric& ApiMetric::operator+=(const ApiMetric& other) {
  add(calls, other.calls);
  add(failed, other.failed);
  add(ns, other.ns);
  each += other.each;
  add(bytes, other.bytes);
  add(flops, other.flops);
  if (other.last_error != 0) last_error = other.last_error;
  return *this;
}

DeviceMetric& DeviceMetric::operator+=(const DeviceMetric& other) {
  add(count, other.count);
  add(ns, other.ns);
  each += other.each;
  add(bytes, other.bytes);
  add(untimed, other.untimed);
  return *this;
}

IdleMetric& IdleMetric::operator+=(const IdleMetric& other) {
  add(gaps, other.gaps);
  add(ns, other.ns);
  max_ns = std::max(max_ns, other.max_ns);
  add(synchronising_ns, other.synchronising_ns);
  add(waiting_ns, other.waiting_ns);
  add(launching_ns, other.launching_ns);
  add(python_ns, other.python_ns);
  add(native_ns, other.native_ns);
  return *this;
}

RangeMetric& RangeMetric::operator+=(const RangeMetric& other) {
  add(count, other.count);
  add(ns, other.ns);
  each += other.each;
  return *this;
}

Spread& Spread::operator+=(const Spread& other) {
  for (std::size_t i = 0; i < count.size(); ++i) add(count[i], other.count[i]);
  return *this;
}

GpuMetrics& GpuMetrics::operator+=(const GpuMetrics& other) {
  work += other.work;
  api += other.api;
  idle += other.idle;
  segments += other.segments;
  tensors += other.tensors;
  return *this;
}

std::optional<double> median_ns(const Spread& spread, const Extremes& bounds) {
  double all = 0;
  for (const std::int64_t count : spread.count) all += static_cast<double>(std::max<std::int64_t>(0, count));
  if (all == 0) return std::nullopt;
  const double half = all / 2;
  double before = 0, median = 0;
  for (std::uint32_t c = 0; c < log::kSpreadClasses; ++c) {
    const auto count = static_cast<double>(std::max<std::int64_t>(0, spread.count[c]));
    if (count == 0 || before + count < half) {
      before += count;
      continue;
    }
    const auto floor = static_cast<double>(log::spread_floor(c));
    // The classes below 4 ns are one; the last one has no end.
    const auto end =
        c + 1 == log::kSpreadClasses ? 2 * floor : static_cast<double>(log::spread_floor(std::max(8U, c + 1)));
    median = floor + (end - floor) * (half - before) / count;
    break;
  }
  if (bounds.min_ns) median = std::max(median, static_cast<double>(*bounds.min_ns));
  if (bounds.max_ns) median = std::min(median, static_cast<double>(*bounds.max_ns));
  return median;
}

}  // namespace prof::model
