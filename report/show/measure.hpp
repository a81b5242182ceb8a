// The numbers that trees, callers and folded stacks can be made of: their names and what they are.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "report/model/metrics.hpp"
#include "report/show/sheet.hpp"

namespace prof::show {

struct MeasureWords {
  model::Measure measure;
  const char* name;  // as --metric takes it: "cpu", "peak"
  const char* noun;  // in sentences: "CPU time"
  const char* key;   // CSV column for totals: "cumtime_ns"
  const char* self_key;
  Kind kind;
};

inline constexpr std::array<MeasureWords, 9> kMeasures{{
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
}};

const MeasureWords& words_of(model::Measure measure);

// True for bytes that are live now or at the peak: those cannot be told by thread.
bool is_level(model::Measure measure);

// The value as a cell: not measured where `live_known` is false and the measure is a level.
Cell measured(const model::Metrics& metrics, model::Measure measure, bool live_known);

}  // namespace prof::show
