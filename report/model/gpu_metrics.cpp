#include "report/model/gpu_metrics.hpp"

#include "report/model/metric_words.hpp"

namespace prof::model {
PROF_METRIC(ApiMetric, log::ApiWords, PROF_SAME(calls), PROF_SAME(failed), PROF_AS(total_ns, ns), PROF_LEAST_AND_MOST,
            PROF_SAME(bytes), PROF_SAME(flops), PROF_SIGNED(last_error));
PROF_METRIC(DeviceMetric, log::DeviceWords, PROF_SAME(count), PROF_AS(total_ns, ns), PROF_LEAST_AND_MOST,
            PROF_SAME(bytes), PROF_SAME(untimed));
PROF_METRIC(IdleMetric, log::IdleWords, PROF_SAME(gaps), PROF_AS(total_ns, ns), PROF_SAME(max_ns),
            PROF_SAME(synchronising_ns), PROF_SAME(waiting_ns), PROF_SAME(launching_ns), PROF_SAME(python_ns),
            PROF_SAME(native_ns));
PROF_METRIC(RangeMetric, log::RangeWords, PROF_SAME(count), PROF_AS(total_ns, ns), PROF_LEAST_AND_MOST);

ApiMetric metric_of(const log::ApiWords& words) { return metric_from<ApiMetric>(words); }
DeviceMetric metric_of(const log::DeviceWords& words) { return metric_from<DeviceMetric>(words); }
IdleMetric metric_of(const log::IdleWords& words) { return metric_from<IdleMetric>(words); }
RangeMetric metric_of(const log::RangeWords& words) { return metric_from<RangeMetric>(words); }
static_assert(log::fields::kOf<log::SpreadWords>.size() == 1, "a field of the contract that nobody reads");
Spread metric_of(const log::SpreadWords& words) {
  Spread spread;
  for (std::size_t i = 0; i < spread.count.size(); ++i) spread.count[i] = to_signed(words.count[i]);
  return spread;
}

ApiMetric& ApiMetric::operator+=(const ApiMetric& other) { return add_up(*this, other); }
DeviceMetric& DeviceMetric::operator+=(const DeviceMetric& other) { return add_up(*this, other); }
IdleMetric& IdleMetric::operator+=(const IdleMetric& other) { return add_up(*this, other); }
RangeMetric& RangeMetric::operator+=(const RangeMetric& other) { return add_up(*this, other); }
Spread& Spread::operator+=(const Spread& other) {
  for (std::size_t i = 0; i < count.size(); ++i) count[i] = saturated_sum(count[i], other.count[i]);
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
