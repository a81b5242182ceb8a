// The numbers that trees, callers and folded stacks can be made of: their names and what they are.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "report/fold/call_tree.hpp"
#include "report/model/metrics.hpp"
#include "report/show/sheet.hpp"

namespace prof::show {

struct MeasureNames {
  model::Measure measure;
  const char* name;  // as --metric takes it: "cpu", "peak"
  const char* noun;  // in sentences: "CPU time"
  const char* key;   // CSV column for totals: "cumtime_ns"
  const char* self_key;
  Kind kind;
};

inline constexpr std::array<MeasureNames, 32> kMeasures{{
    {model::Measure::CpuTime, "cpu", "CPU time", "cumtime_ns", "tottime_ns", Kind::Time},
    {model::Measure::CpuSamples, "samples", "CPU samples", "cum_samples", "samples", Kind::Count},
    {model::Measure::Allocations, "allocations", "allocations", "cum_allocations", "allocations", Kind::Count},
    {model::Measure::Allocated, "allocated", "bytes allocated", "cum_allocated_bytes", "allocated_bytes", Kind::Bytes},
    {model::Measure::Live, "live", "bytes live", "cum_live_bytes", "live_bytes", Kind::Bytes},
    {model::Measure::Peak, "peak", "bytes live at the peak", "cum_peak_bytes", "peak_bytes", Kind::Bytes},
    {model::Measure::MapAllocated, "mapped", "bytes mapped", "cum_mapped_bytes", "mapped_bytes", Kind::Bytes},
    {model::Measure::MapLive, "mapped-live", "mapped bytes live", "cum_mapped_live_bytes", "mapped_live_bytes",
     Kind::Bytes},
    {model::Measure::MapPeak, "mapped-peak", "mapped bytes live at the peak", "cum_mapped_peak_bytes",
     "mapped_peak_bytes", Kind::Bytes},
    {model::Measure::Temporary, "temporary", "temporary allocations", "cum_temporary", "temporary", Kind::Count},
    {model::Measure::Reallocations, "reallocations", "reallocations", "cum_reallocations", "reallocations",
     Kind::Count},
    {model::Measure::Moved, "moved", "bytes moved by realloc", "cum_moved_bytes", "moved_bytes", Kind::Bytes},
    {model::Measure::Growth, "leaks", "bytes gained in the second half of the run", "cum_growth_bytes", "growth_bytes",
     Kind::Bytes},
    {model::Measure::PythonAllocated, "python-allocated", "bytes that Python's own allocators gave out",
     "cum_python_allocated_bytes", "python_allocated_bytes", Kind::Bytes},
    {model::Measure::PythonLive, "python-live", "bytes of Python's own allocators live", "cum_python_live_bytes",
     "python_live_bytes", Kind::Bytes},
    {model::Measure::PythonPeak, "python-peak", "bytes of Python's own allocators live at the peak",
     "cum_python_peak_bytes", "python_peak_bytes", Kind::Bytes},
    {model::Measure::Copied, "copied", "bytes copied", "cum_copied_bytes", "copied_bytes", Kind::Bytes},
    {model::Measure::GpuTime, "gpu-time", "GPU time", "cum_gpu_ns", "gpu_ns", Kind::Time},
    {model::Measure::GpuWork, "gpu-work", "kernels and copies", "cum_gpu_work", "gpu_work", Kind::Count},
    {model::Measure::GpuIdle, "gpu-idle", "idle time of GPUs", "cum_gpu_idle_ns", "gpu_idle_ns", Kind::Time},
    {model::Measure::ApiTime, "api-time", "time in calls of APIs", "cum_api_ns", "api_ns", Kind::Time},
    {model::Measure::ApiCalls, "api-calls", "calls of APIs", "cum_api_calls", "api_calls", Kind::Count},
    {model::Measure::Flops, "flops", "floating point operations", "cum_flops", "flops", Kind::Count},
    {model::Measure::SegmentAllocated, "segments", "bytes of GPU memory allocated", "cum_segment_bytes",
     "segment_bytes", Kind::Bytes},
    {model::Measure::SegmentLive, "segments-live", "bytes of GPU memory live", "cum_segment_live_bytes",
     "segment_live_bytes", Kind::Bytes},
    {model::Measure::SegmentPeak, "segments-peak", "bytes of GPU memory live at the peak", "cum_segment_peak_bytes",
     "segment_peak_bytes", Kind::Bytes},
    {model::Measure::TensorAllocated, "tensors", "bytes of GPU tensors allocated", "cum_tensor_bytes", "tensor_bytes",
     Kind::Bytes},
    {model::Measure::TensorLive, "tensors-live", "bytes of GPU tensors live", "cum_tensor_live_bytes",
     "tensor_live_bytes", Kind::Bytes},
    {model::Measure::TensorPeak, "tensors-peak", "bytes of GPU tensors live at the peak", "cum_tensor_peak_bytes",
     "tensor_peak_bytes", Kind::Bytes},
    {model::Measure::Blocked, "blocked", "blocked time", "cumblocked_ns", "blocked_ns", Kind::Time},
    {model::Measure::WallTime, "wall", "wall time (CPU and blocked)", "cumwall_ns", "wall_ns", Kind::Time},
    {model::Measure::BlockingCalls, "blocking-calls", "blocking calls", "cum_blocking_calls", "blocking_calls",
     Kind::Count},
}};

const MeasureNames& names_of(model::Measure measure);

// True for bytes that are live now or at the peak: those cannot be told by thread.
bool is_level(model::Measure measure);

// True for measures of blocking calls.
bool is_wait(model::Measure measure);

// Why the figures of the tree say nothing of that measure, in a sentence; nothing where they do. That no process
// recorded memory at all is for others to say.
std::optional<std::string_view> not_known(model::Measure measure, const fold::CallTree& tree);

// The value as a cell: not measured where not_known() has a reason.
Cell measured(const model::Metrics& metrics, model::Measure measure, const fold::CallTree& tree);

}  // namespace prof::show
