#include "report/fold/watched.hpp"

#include <algorithm>

namespace prof::fold {
namespace {

// PyTorch's own code around a callback, at least: about 100 ns in a loop over elements, 120 in a step of small
// operators, a microsecond where each operator finds the caches cold.
constexpr std::int64_t kOperatorNs = 100;
constexpr std::int64_t kDeviceWorkNs = 2'500;  // CUPTI, of a launch: its records and what joins them to a stack

constexpr std::int64_t kMost = 1'000'000'000'000;  // of a log that says more it is no estimate anyway
void add(std::int64_t& sum, std::int64_t count) {
  sum = std::clamp<std::int64_t>(model::saturated_sum(sum, count), 0, kMost);
}

}  // namespace

std::int64_t operators_ns(std::int64_t calls) { return std::clamp<std::int64_t>(calls, 0, kMost) * kOperatorNs; }

Watched watched(const model::Run& run) {
  Watched sum;
  for (const model::Process& process : run.processes) {
    for (const auto& row : process.tree.operators) add(sum.operators, row.metric.calls);
    for (const auto& row : process.tree.device) add(sum.device_work, row.metric.count);
  }
  sum.ns = operators_ns(sum.operators) + sum.device_work * kDeviceWorkNs;
  return sum;
}

}  // namespace prof::fold
