// How each measure is read from figures, whatever they are kept in.
#pragma once

#include "report/model/metrics.hpp"

namespace prof::model {

// `of` has cpu(), heap(), maps(), python(), copies(), growth(), wait() and gpu(), which give the parts of Metrics. Only
// those that the measure needs are called.
template <typename Of>
std::int64_t measure_value(const Of& of, Measure measure) {
  switch (measure) {
    case Measure::CpuTime:
      return of.cpu().ns;
    case Measure::CpuSamples:
      return of.cpu().samples;
    case Measure::Allocations:
      return of.heap().allocations();
    case Measure::Allocated:
      return of.heap().bytes;
    case Measure::Live:
      return of.heap().live_bytes();
    case Measure::Peak:
      return of.heap().peak_bytes;
    case Measure::MapAllocated:
      return of.maps().bytes;
    case Measure::MapLive:
      return of.maps().live_bytes();
    case Measure::MapPeak:
      return of.maps().peak_bytes;
    case Measure::Temporary:
      return of.heap().temporary;
    case Measure::Reallocations:
      return of.heap().reallocations;
    case Measure::Moved:
      return of.heap().moved_bytes;
    case Measure::Growth:
      return of.growth();
    case Measure::PythonAllocated:
      return of.python().bytes;
    case Measure::PythonLive:
      return of.python().live_bytes();
    case Measure::PythonPeak:
      return of.python().peak_bytes;
    case Measure::Copied:
      return of.copies().bytes;
    case Measure::GpuTime:
      return of.gpu().work.ns;
    case Measure::GpuWork:
      return of.gpu().work.count;
    case Measure::GpuIdle:
      return of.gpu().idle.ns;
    case Measure::ApiTime:
      return of.gpu().api.ns;
    case Measure::ApiCalls:
      return of.gpu().api.calls;
    case Measure::Flops:
      return of.gpu().api.flops;
    case Measure::SegmentAllocated:
      return of.gpu().segments.bytes;
    case Measure::SegmentLive:
      return of.gpu().segments.live_bytes();
    case Measure::SegmentPeak:
      return of.gpu().segments.peak_bytes;
    case Measure::TensorAllocated:
      return of.gpu().tensors.bytes;
    case Measure::TensorLive:
      return of.gpu().tensors.live_bytes();
    case Measure::TensorPeak:
      return of.gpu().tensors.peak_bytes;
    case Measure::Blocked:
      return of.wait().blocked_ns();
    case Measure::WallTime:
      return saturated_sum(of.cpu().ns, of.wait().blocked_ns());
    case Measure::BlockingCalls:
      return of.wait().calls();
  }
  return 0;
}

}  // namespace prof::model
