#include "report/model/metrics.hpp"

#include <algorithm>

#include "agent/contract/format.hpp"

namespace prof::model {

std::int64_t whole(std::int64_t units) {
  const auto unit = static_cast<std::int64_t>(log::kCountUnit);
  const std::int64_t half = units < 0 ? -unit / 2 : unit / 2;
  return saturated_sum(units, half) / unit;
}

CpuMetric& CpuMetric::operator+=(const CpuMetric& other) {
  samples = saturated_sum(samples, other.samples);
  ns = saturated_sum(ns, other.ns);
  return *this;
}

std::int64_t MemoryMetric::allocations() const { return whole(count_units); }

std::int64_t MemoryMetric::live_allocations() const {
  return std::max<std::int64_t>(0, whole(saturated_difference(count_units, freed_units)));
}

std::int64_t MemoryMetric::live_bytes() const {
  return std::max<std::int64_t>(0, saturated_difference(bytes, freed_bytes));
}

MemoryMetric& MemoryMetric::operator+=(const MemoryMetric& other) {
  count_units = saturated_sum(count_units, other.count_units);
  bytes = saturated_sum(bytes, other.bytes);
  freed_units = saturated_sum(freed_units, other.freed_units);
  freed_bytes = saturated_sum(freed_bytes, other.freed_bytes);
  peak_bytes = saturated_sum(peak_bytes, other.peak_bytes);
  samples = saturated_sum(samples, other.samples);
  temporary = saturated_sum(temporary, other.temporary);
  short_lived = saturated_sum(short_lived, other.short_lived);
  reallocations = saturated_sum(reallocations, other.reallocations);
  moved_bytes = saturated_sum(moved_bytes, other.moved_bytes);
  largest = std::max(largest, other.largest);
  return *this;
}

std::int64_t CopyMetric::copies() const { return whole(count_units); }

CopyMetric& CopyMetric::operator+=(const CopyMetric& other) {
  count_units = saturated_sum(count_units, other.count_units);
  bytes = saturated_sum(bytes, other.bytes);
  samples = saturated_sum(samples, other.samples);
  return *this;
}

CallMetric& CallMetric::operator+=(const CallMetric& other) {
  calls = saturated_sum(calls, other.calls);
  primitive = saturated_sum(primitive, other.primitive);
  self_ns = saturated_sum(self_ns, other.self_ns);
  outer_ns = saturated_sum(outer_ns, other.outer_ns);
  edge_calls = saturated_sum(edge_calls, other.edge_calls);
  edge_outer_ns = saturated_sum(edge_outer_ns, other.edge_outer_ns);
  raised = saturated_sum(raised, other.raised);
  return *this;
}

LineMetric& LineMetric::operator+=(const LineMetric& other) {
  hits = saturated_sum(hits, other.hits);
  ns = saturated_sum(ns, other.ns);
  return *this;
}

Metrics& Metrics::operator+=(const Metrics& other) {
  cpu += other.cpu;
  heap += other.heap;
  maps += other.maps;
  python += other.python;
  copies += other.copies;
  growth_bytes = saturated_sum(growth_bytes, other.growth_bytes);
  wait += other.wait;
  gpu += other.gpu;
  return *this;
}

std::int64_t value_of(const Metrics& metrics, Measure measure) {
  switch (measure) {
    case Measure::CpuTime:
      return metrics.cpu.ns;
    case Measure::CpuSamples:
      return metrics.cpu.samples;
    case Measure::Allocations:
      return metrics.heap.allocations();
    case Measure::Allocated:
      return metrics.heap.bytes;
    case Measure::Live:
      return metrics.heap.live_bytes();
    case Measure::Peak:
      return metrics.heap.peak_bytes;
    case Measure::MapAllocated:
      return metrics.maps.bytes;
    case Measure::MapLive:
      return metrics.maps.live_bytes();
    case Measure::MapPeak:
      return metrics.maps.peak_bytes;
    case Measure::Temporary:
      return metrics.heap.temporary;
    case Measure::Reallocations:
      return metrics.heap.reallocations;
    case Measure::Moved:
      return metrics.heap.moved_bytes;
    case Measure::Growth:
      return metrics.growth_bytes;
    case Measure::PythonAllocated:
      return metrics.python.bytes;
    case Measure::PythonLive:
      return metrics.python.live_bytes();
    case Measure::PythonPeak:
      return metrics.python.peak_bytes;
    case Measure::Copied:
      return metrics.copies.bytes;
    case Measure::GpuTime:
      return metrics.gpu.get().work.ns;
    case Measure::GpuWork:
      return metrics.gpu.get().work.count;
    case Measure::GpuIdle:
      return metrics.gpu.get().idle.ns;
    case Measure::ApiTime:
      return metrics.gpu.get().api.ns;
    case Measure::ApiCalls:
      return metrics.gpu.get().api.calls;
    case Measure::Flops:
      return metrics.gpu.get().api.flops;
    case Measure::SegmentAllocated:
      return metrics.gpu.get().segments.bytes;
    case Measure::SegmentLive:
      return metrics.gpu.get().segments.live_bytes();
    case Measure::SegmentPeak:
      return metrics.gpu.get().segments.peak_bytes;
    case Measure::TensorAllocated:
      return metrics.gpu.get().tensors.bytes;
    case Measure::TensorLive:
      return metrics.gpu.get().tensors.live_bytes();
    case Measure::TensorPeak:
      return metrics.gpu.get().tensors.peak_bytes;
    case Measure::Blocked:
      return metrics.wait.blocked_ns();
    case Measure::WallTime:
      return saturated_sum(metrics.cpu.ns, metrics.wait.blocked_ns());
    case Measure::BlockingCalls:
      return metrics.wait.calls();
  }
  return 0;
}

}  // namespace prof::model
