// What a log says of CUDA beside the figures of contexts: names, devices, their state over time, the trace.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/contract/format.hpp"

namespace prof::model {

inline constexpr std::uint32_t kNoName = UINT32_MAX;

// Of an API's function, a kernel, a copy, a range, an operator or a stream.
struct Name {
  log::NameKind kind = log::NameKind::Api;
  std::string name, group;  // see log::NameKind
  bool operator==(const Name&) const = default;
};

struct Device {
  std::uint32_t index = 0;
  std::string name;  // empty: not known
  std::string uuid;  // "GPU-...", as the driver's tools write it; empty: not known
  // 0: not known
  std::uint32_t compute_major = 0, compute_minor = 0;
  std::uint32_t multiprocessors = 0;
  std::uint32_t clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t first_monotonic_ns = 0, last_monotonic_ns = 0;  // start of the first work, end of the last; 0: none
  std::uint64_t busy_ns = 0;                                    // with any work between the two
  std::uint64_t span_ns() const { return last_monotonic_ns - first_monotonic_ns; }
  // Bytes of this process; never negative.
  std::int64_t segments_live = 0, segments_peak = 0;
  std::int64_t tensors_live = 0, tensors_peak = 0;
  std::int64_t reserved_live = 0, reserved_peak = 0;  // that a framework's caching allocator holds
};

// A device as a whole, whoever used it, in one slot of time.
struct DevicePoint {
  std::uint64_t begin_monotonic_ns = 0, end_monotonic_ns = 0;  // of the slot
  std::uint64_t used_bytes = 0;                                // by all processes and the driver
  std::optional<std::uint64_t> own_bytes;                      // of them by this process
  std::int64_t segments_live = 0, tensors_live = 0;
  std::optional<std::uint64_t> energy_mj;  // since the driver was loaded
  std::optional<std::uint32_t> busy_percent, memory_busy_percent, power_mw, temperature_c, clock_mhz, memory_clock_mhz;
};

struct DeviceSeries {
  std::uint32_t device = 0;
  std::vector<DevicePoint> points;  // in the order of time; never empty
};

struct TraceEvent {
  log::TraceKind kind = log::TraceKind::Api;
  std::uint64_t start_monotonic_ns = 0, end_monotonic_ns = 0;
  std::uint32_t frame = 0;        // index into Tree::frames
  std::uint32_t node = 0;         // index into Tree::nodes, of operators Tree::operator_nodes; 0: not known
  std::uint32_t tid = 0;          // of the thread; of Device events the stream
  std::uint32_t correlation = 0;  // joins a call and what it made the device do; 0: none
  std::uint32_t device = 0, context = 0;
  std::uint64_t bytes = 0;
  // Of operators, as PyTorch numbers the backward functions that the operators of a thread make. Of a backward function
  // its own number, of others the one that was next when they began; none: it has none, or it is not known.
  std::optional<std::uint64_t> sequence{};
  std::uint32_t sequence_thread = 0;  // whose number it is, as PyTorch counts threads
  std::uint32_t numbers = 0;          // that were given while it ran
  bool ended_elsewhere = false;       // by another thread: none of its time is its own
};

struct Trace {
  std::vector<TraceEvent> events;  // in the order of their writing
  std::uint64_t overwritten = 0;   // earlier ones that the ring no longer has, and torn ones
};

struct CudaInfo {
  std::string state;               // "active", "host" (no device times) or "off"; empty: not told
  std::string reason;              // why not active
  std::string cupti, driver;       // versions: "13.0.1", "13.0"; empty: not known
  std::string runtime, library;    // paths of libcudart and libcupti
  std::uint64_t overhead_ns = 0;   // CUPTI's own, by its records
  std::vector<std::string> notes;  // what the user should know
};

}  // namespace prof::model
