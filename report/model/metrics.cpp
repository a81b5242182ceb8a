#include "report/model/metrics.hpp"

#include <algorithm>

#include "agent/contract/format.hpp"
#include "report/model/measure_value.hpp"
#include "report/model/metric_words.hpp"

namespace prof::model {

std::int64_t whole(std::int64_t units) {
  const auto unit = static_cast<std::int64_t>(log::kCountUnit);
  const std::int64_t half = units < 0 ? -unit / 2 : unit / 2;
  return saturated_sum(units, half) / unit;
}

PROF_METRIC(CpuMetric, log::CpuWords, PROF_SAME(samples), PROF_SAME(ns));
PROF_METRIC(MemoryMetric, log::HeapWords, PROF_AS(count, count_units), PROF_SAME(bytes),
            PROF_AS(freed_count, freed_units), PROF_SAME(freed_bytes), PROF_SAME(samples), PROF_SAME(temporary),
            PROF_SAME(short_lived), PROF_SAME(reallocations), PROF_SAME(moved_bytes), PROF_SAME(largest),
            PROF_BY_HAND(at_peak), PROF_BY_HAND(epoch),  // peak_bytes: build_memory.cpp
            PROF_NOT_SHOWN(checkpoint), PROF_NOT_SHOWN(companions), PROF_SAME(growing));
PROF_METRIC(CopyMetric, log::CopyWords, PROF_AS(count, count_units), PROF_SAME(bytes), PROF_SAME(samples));
PROF_METRIC(CallMetric, log::CallWords, PROF_SAME(calls), PROF_SAME(primitive), PROF_SAME(self_ns), PROF_SAME(outer_ns),
            PROF_SAME(edge_calls), PROF_SAME(edge_outer_ns), PROF_SAME(raised));
PROF_METRIC(LineMetric, log::LineWords, PROF_SAME(hits), PROF_SAME(ns));

CpuMetric metric_of(const log::CpuWords& words) { return metric_from<CpuMetric>(words); }
MemoryMetric metric_of(const log::HeapWords& words) { return metric_from<MemoryMetric>(words); }
CopyMetric metric_of(const log::CopyWords& words) { return metric_from<CopyMetric>(words); }
CallMetric metric_of(const log::CallWords& words) { return metric_from<CallMetric>(words); }
LineMetric metric_of(const log::LineWords& words) { return metric_from<LineMetric>(words); }

CpuMetric& CpuMetric::operator+=(const CpuMetric& other) { return add_up(*this, other); }
CopyMetric& CopyMetric::operator+=(const CopyMetric& other) { return add_up(*this, other); }
CallMetric& CallMetric::operator+=(const CallMetric& other) { return add_up(*this, other); }
LineMetric& LineMetric::operator+=(const LineMetric& other) { return add_up(*this, other); }
MemoryMetric& MemoryMetric::operator+=(const MemoryMetric& other) {
  peak_bytes = saturated_sum(peak_bytes, other.peak_bytes);
  return add_up(*this, other);
}

Extremes& Extremes::operator+=(const Extremes& other) {
  if (other.min_ns) min_ns = min_ns ? std::min(*min_ns, *other.min_ns) : *other.min_ns;
  if (other.max_ns) max_ns = max_ns ? std::max(*max_ns, *other.max_ns) : *other.max_ns;
  return *this;
}

Extremes extremes(std::uint64_t min_ns, std::uint64_t max_ns) {
  return {min_ns == UINT64_MAX ? std::nullopt : std::optional(to_signed(min_ns)), to_signed(max_ns)};
}

std::int64_t MemoryMetric::allocations() const { return whole(count_units); }

std::int64_t MemoryMetric::live_allocations() const {
  return std::max<std::int64_t>(0, whole(saturated_difference(count_units, freed_units)));
}

std::int64_t MemoryMetric::live_bytes() const {
  return std::max<std::int64_t>(0, saturated_difference(bytes, freed_bytes));
}

std::int64_t CopyMetric::copies() const { return whole(count_units); }

Metrics& Metrics::operator+=(const Metrics& other) {
  cpu += other.cpu;
  heap += other.heap;
  maps += other.maps;
  python += other.python;
  copies += other.copies;
  growth_bytes = saturated_sum(growth_bytes, other.growth_bytes);
  wait += other.wait;
  holds += other.holds;
  gpu += other.gpu;
  return *this;
}

std::int64_t value_of(const Metrics& metrics, Measure measure) {
  struct Parts {
    const Metrics& of;
    const CpuMetric& cpu() const { return of.cpu; }
    const MemoryMetric& heap() const { return of.heap; }
    const MemoryMetric& maps() const { return of.maps; }
    const MemoryMetric& python() const { return of.python; }
    const CopyMetric& copies() const { return of.copies; }
    std::int64_t growth() const { return of.growth_bytes; }
    const WaitMetric& wait() const { return of.wait; }
    const GpuMetrics& gpu() const { return of.gpu.get(); }
  };
  return measure_value(Parts{metrics}, measure);
}

}  // namespace prof::model
