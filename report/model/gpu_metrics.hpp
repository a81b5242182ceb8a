// What is counted of APIs, devices and ranges: sums that can be added up over threads, contexts and processes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "agent/contract/format_device.hpp"
#include "report/model/metrics_base.hpp"

namespace prof::model {

// Exact calls of an API.
struct ApiMetric {
  std::int64_t calls = 0;
  std::int64_t failed = 0;
  std::int64_t ns = 0;  // wall time on the host
  Extremes each;
  std::int64_t bytes = 0;       // as the arguments say
  std::int64_t flops = 0;       // that the arguments ask for
  std::int64_t last_error = 0;  // the API's own number; 0: none failed

  ApiMetric& operator+=(const ApiMetric& other);
  bool operator==(const ApiMetric&) const = default;
  bool empty() const { return *this == ApiMetric{}; }
};
ApiMetric metric_of(const log::ApiWords& words);

// Kernels, copies and sets.
struct DeviceMetric {
  std::int64_t count = 0;
  std::int64_t ns = 0;  // on the device
  Extremes each;
  std::int64_t bytes = 0;    // of copies and sets
  std::int64_t untimed = 0;  // of `count`: without a usable time

  std::int64_t timed() const { return std::max<std::int64_t>(0, saturated_difference(count, untimed)); }
  DeviceMetric& operator+=(const DeviceMetric& other);
  bool operator==(const DeviceMetric&) const = default;
  bool empty() const { return *this == DeviceMetric{}; }
};
DeviceMetric metric_of(const log::DeviceWords& words);

// Time in which a device had nothing to do, by what the thread did whose launch ended it.
struct IdleMetric {
  std::int64_t gaps = 0;
  std::int64_t ns = 0;
  std::int64_t max_ns = 0;
  std::int64_t synchronising_ns = 0;
  std::int64_t waiting_ns = 0;
  std::int64_t launching_ns = 0;
  std::int64_t python_ns = 0;
  std::int64_t native_ns = 0;

  IdleMetric& operator+=(const IdleMetric& other);
  bool operator==(const IdleMetric&) const = default;
  bool empty() const { return *this == IdleMetric{}; }
};
IdleMetric metric_of(const log::IdleWords& words);

// Ranges of the program's own that ended.
struct RangeMetric {
  std::int64_t count = 0;
  std::int64_t ns = 0;
  Extremes each;

  RangeMetric& operator+=(const RangeMetric& other);
  bool operator==(const RangeMetric&) const = default;
  bool empty() const { return *this == RangeMetric{}; }
};
RangeMetric metric_of(const log::RangeWords& words);

// A distribution of times, by log::spread_class.
struct Spread {
  std::array<std::int64_t, log::kSpreadClasses> count{};

  Spread& operator+=(const Spread& other);
  bool operator==(const Spread&) const = default;
  bool empty() const { return *this == Spread{}; }
};
Spread metric_of(const log::SpreadWords& words);
// The time that half of all do not exceed, by interpolation within its class; never outside of `bounds`. Nothing where
// nothing was counted.
std::optional<double> median_ns(const Spread& spread, const Extremes& bounds);

// What a context has of all this.
struct GpuMetrics {
  DeviceMetric work;
  ApiMetric api;
  IdleMetric idle;
  MemoryMetric segments;  // device memory that the program got from the driver
  MemoryMetric tensors;   // blocks that a framework's caching allocator made of it

  GpuMetrics& operator+=(const GpuMetrics& other);
  bool operator==(const GpuMetrics&) const = default;
};

// The same as a value that takes the room of a pointer while there is nothing: most contexts have none of it.
class GpuShare {
 public:
  GpuShare() = default;
  GpuShare(const GpuShare& other) : own_(other.own_ ? std::make_unique<GpuMetrics>(*other.own_) : nullptr) {}
  GpuShare(GpuShare&&) noexcept = default;
  GpuShare& operator=(const GpuShare& other) {
    if (this != &other) own_ = other.own_ ? std::make_unique<GpuMetrics>(*other.own_) : nullptr;
    return *this;
  }
  GpuShare& operator=(GpuShare&&) noexcept = default;
  ~GpuShare() = default;

  const GpuMetrics& get() const {
    static const GpuMetrics nothing;
    return own_ ? *own_ : nothing;
  }
  GpuMetrics& make() {
    if (!own_) own_ = std::make_unique<GpuMetrics>();
    return *own_;
  }
  GpuShare& operator+=(const GpuShare& other) {
    if (other.own_) make() += *other.own_;
    return *this;
  }
  bool operator==(const GpuShare& other) const { return own_ == other.own_ || get() == other.get(); }

 private:
  std::unique_ptr<GpuMetrics> own_;
};

}  // namespace prof::model
