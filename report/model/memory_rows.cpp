#include "report/model/memory_rows.hpp"

namespace prof::model {

MemoryMetric OnceBlock::metric() const {
  const auto has = [&](std::uint64_t flag) { return (word_ & flag) != 0; };
  constexpr auto kOne = static_cast<std::int64_t>(log::kCountUnit);
  MemoryMetric metric;
  metric.count_units = kOne;
  metric.bytes = metric.largest = bytes();
  metric.freed_units = has(kFreed) ? kOne : 0;
  metric.freed_bytes = has(kFreed) ? bytes() : 0;
  metric.peak_bytes = has(kAtPeak) ? bytes() : 0;
  metric.samples = 1;
  metric.temporary = has(log::kOnceTemporary) ? 1 : 0;
  metric.short_lived = has(log::kOnceShortLived) ? 1 : 0;
  metric.reallocations = has(log::kOnceReallocated) ? 1 : 0;
  return metric;
}

void MemoryRows::shrink_to_fit() {
  rows_.shrink_to_fit();
  once_.shrink_to_fit();
}

}  // namespace prof::model
