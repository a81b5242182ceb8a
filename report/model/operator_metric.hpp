// What is counted of a framework's operators.
#pragma once

#include <algorithm>
#include <cstdint>

#include "agent/contract/format_operators.hpp"
#include "report/model/metrics_base.hpp"

namespace prof::model {

struct OperatorMetric {
  std::int64_t calls = 0;      // that ended
  std::int64_t ns = 0;         // wall time
  std::int64_t nested_ns = 0;  // of it, in operators inside
  Extremes each;
  // Memory of tensors: allocated minus freed while it was the innermost operator.
  std::int64_t host_bytes = 0;  // 0 and without a meaning where it was not asked for
  std::int64_t device_bytes = 0;
  std::int64_t flops = 0;     // by PyTorch's own formulas; 0 and without a meaning where they were not asked for
  std::int64_t unlinked = 0;  // calls of a backward function whose maker was not known; likewise

  std::int64_t self_ns() const { return std::max<std::int64_t>(0, saturated_difference(ns, nested_ns)); }
  OperatorMetric& operator+=(const OperatorMetric& other);
  bool operator==(const OperatorMetric&) const = default;
};
OperatorMetric metric_of(const log::OperatorWords& words);

}  // namespace prof::model
