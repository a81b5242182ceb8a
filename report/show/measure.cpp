#include "report/show/measure.hpp"

#include <algorithm>

#include "report/show/view.hpp"

namespace prof::show {

const MeasureNames& names_of(model::Measure measure) {
  return *std::find_if(kMeasures.begin(), kMeasures.end(),
                       [measure](const MeasureNames& words) { return words.measure == measure; });
}

bool is_level(model::Measure measure) {
  switch (measure) {
    case model::Measure::Live:
    case model::Measure::Peak:
    case model::Measure::MapLive:
    case model::Measure::MapPeak:
    case model::Measure::Growth:
    case model::Measure::PythonLive:
    case model::Measure::PythonPeak:
    case model::Measure::SegmentLive:
    case model::Measure::SegmentPeak:
    case model::Measure::TensorLive:
    case model::Measure::TensorPeak:
      return true;
    default:
      return false;
  }
}

bool is_wait(model::Measure measure) {
  return measure == model::Measure::Blocked || measure == model::Measure::WallTime ||
         measure == model::Measure::BlockingCalls;
}

std::optional<std::string_view> not_known(model::Measure measure, const fold::CallTree& tree) {
  using enum model::Measure;
  if (is_level(measure) && !tree.live_known()) return "What is live cannot be told by thread.";
  const bool of_exact = measure == Temporary || measure == Reallocations || measure == Moved || measure == Growth;
  if (of_exact && !tree.exact()) return "Only exact mode tells that: prof run --heap exact.";
  const bool of_python = measure == PythonAllocated || measure == PythonLive || measure == PythonPeak;
  if (of_python && !tree.python_known()) {
    return "Python's own allocators were not followed: prof run --python-alloc on follows them.";
  }
  if (measure == Copied && !tree.copies_known()) return "Copies were not counted: prof run --copies on counts them.";
  if (is_wait(measure) && !tree.waits_known()) {
    return "Blocking calls were not recorded: prof run --wait on records them.";
  }
  const bool of_cuda = measure == ApiTime || measure == ApiCalls || measure == Flops || measure == SegmentAllocated ||
                       measure == SegmentLive || measure == SegmentPeak || measure == TensorAllocated ||
                       measure == TensorLive || measure == TensorPeak;
  const bool of_devices = measure == GpuTime || measure == GpuWork || measure == GpuIdle;
  if ((of_cuda || of_devices) && !tree.cuda_known()) return "No selected process used CUDA, as far as was seen.";
  if (of_devices && !tree.live_known()) return "What a GPU did cannot be told by thread.";
  if (of_devices && !tree.device_known()) return "What GPUs did was not recorded: --view kernels says why.";
  return std::nullopt;
}

Cell measured(const model::Metrics& metrics, model::Measure measure, const fold::CallTree& tree) {
  if (not_known(measure, tree)) return {};
  return model::value_of(metrics, measure);
}

bool by_memory(SortKey key) {
  const model::Measure measure = measure_of(key);
  return measure != model::Measure::CpuTime && measure != model::Measure::GpuTime && !is_wait(measure);
}

model::Measure measure_of(SortKey key) {
  switch (key) {
    case SortKey::Live:
      return model::Measure::Live;
    case SortKey::Peak:
      return model::Measure::Peak;
    case SortKey::Allocated:
      return model::Measure::Allocated;
    case SortKey::Allocations:
      return model::Measure::Allocations;
    case SortKey::Temporary:
      return model::Measure::Temporary;
    case SortKey::Leaks:
      return model::Measure::Growth;
    case SortKey::Gpu:
      return model::Measure::GpuTime;
    case SortKey::Blocked:
      return model::Measure::Blocked;
    case SortKey::Wall:
      return model::Measure::WallTime;
    default:
      return model::Measure::CpuTime;
  }
}

}  // namespace prof::show
