// What is counted on one context: plain sums that can be added up over threads, contexts and processes.
#pragma once

#include <cstdint>

#include "agent/contract/format_records.hpp"
#include "report/model/gpu_metrics.hpp"
#include "report/model/metrics_base.hpp"
#include "report/model/wait_metrics.hpp"

namespace prof::model {

struct CpuMetric {
  std::int64_t samples = 0;
  std::int64_t ns = 0;

  CpuMetric& operator+=(const CpuMetric& other);
  bool operator==(const CpuMetric&) const = default;
  bool empty() const { return samples == 0 && ns == 0; }
};
CpuMetric metric_of(const log::CpuWords& words);

// What memcpy and its family copied from one module into another: estimates from samples.
struct CopyMetric {
  std::int64_t count_units = 0;  // calls, in 1/log::kCountUnit
  std::int64_t bytes = 0;
  std::int64_t samples = 0;  // calls that were really seen

  std::int64_t copies() const;  // rounded to whole ones

  CopyMetric& operator+=(const CopyMetric& other);
  bool operator==(const CopyMetric&) const = default;
  bool empty() const { return *this == CopyMetric{}; }
};
CopyMetric metric_of(const log::CopyWords& words);

// Exact calls along one edge caller -> callee; see log::CallWords.
struct CallMetric {
  std::int64_t calls = 0;
  std::int64_t primitive = 0;      // of a callee that was not already on the thread's stack
  std::int64_t self_ns = 0;        // wall time in the callee itself
  std::int64_t outer_ns = 0;       // wall time of the primitive calls, what they called included
  std::int64_t edge_calls = 0;     // of an edge that was not already on the stack
  std::int64_t edge_outer_ns = 0;  // wall time of these
  std::int64_t raised = 0;         // ended by an exception

  CallMetric& operator+=(const CallMetric& other);
  bool operator==(const CallMetric&) const = default;
  bool empty() const { return *this == CallMetric{}; }
};
CallMetric metric_of(const log::CallWords& words);

// Exact executions of one line.
struct LineMetric {
  std::int64_t hits = 0;
  std::int64_t ns = 0;  // wall time, what the line called included

  LineMetric& operator+=(const LineMetric& other);
  bool operator==(const LineMetric&) const = default;
  bool empty() const { return *this == LineMetric{}; }
};
LineMetric metric_of(const log::LineWords& words);

struct Metrics {
  CpuMetric cpu;
  MemoryMetric heap;    // malloc and its family
  MemoryMetric maps;    // mmap and its family
  MemoryMetric python;  // Python's own allocators, without what they got from malloc
  CopyMetric copies;
  // What contexts of malloc that grew in the second half of their process gained there, as far as live bytes were
  // followed over time.
  std::int64_t growth_bytes = 0;
  WaitMetric wait;
  HoldMetric holds;
  GpuShare gpu;

  Metrics& operator+=(const Metrics& other);
  bool operator==(const Metrics&) const = default;
  bool empty() const { return *this == Metrics{}; }
};

// One number of Metrics, to sort and to draw by.
enum class Measure {
  CpuTime,  // ns
  CpuSamples,
  Allocations,  // of malloc; rounded
  Allocated,    // bytes, like all below
  Live,
  Peak,
  MapAllocated,
  MapLive,
  MapPeak,
  Temporary,  // allocations; rounded, like Reallocations
  Reallocations,
  Moved,  // bytes, like all below
  Growth,
  PythonAllocated,
  PythonLive,
  PythonPeak,
  Copied,
  GpuTime,           // ns on devices
  GpuWork,           // kernels, copies and sets
  GpuIdle,           // ns that devices waited for the context
  ApiTime,           // ns on the host, in calls of APIs
  ApiCalls,          //
  Flops,             // asked for
  SegmentAllocated,  // bytes, like all below
  SegmentLive,
  SegmentPeak,
  TensorAllocated,
  TensorLive,
  TensorPeak,
  Blocked,   // ns in blocking calls, without the CPU time in them
  WallTime,  // ns: CPU time and Blocked
  BlockingCalls,
};
std::int64_t value_of(const Metrics& metrics, Measure measure);

}  // namespace prof::model
