#include "report/model/blocked_shares.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "report/model/wait_class.hpp"

namespace prof::model {
namespace {

// The contexts of one class of one thread.
struct Group {
  std::int64_t above = 0, below = 0;  // sums of what is more than 0, and of what is less
  double seen = 0;                    // of `above`, those before the row in hand
  std::int64_t given = 0;             // to them
};

constexpr double kMostRounded = 9.2e18;  // below INT64_MAX, which is no double

}  // namespace

void share_blocked_time(Process& process) {
  std::map<std::pair<std::uint32_t, std::optional<log::WaitClass>>, Group> groups;  // by slot and class
  const auto group_of = [&](const Row<WaitMetric>& row) -> Group& {
    return groups[{row.slot, wait_class_of(process, process.tree.nodes[row.node].frame)}];
  };
  for (const Row<WaitMetric>& row : process.tree.waits) {
    Group& group = group_of(row);
    const std::int64_t ns = saturated_difference(row.metric.ns, row.metric.cpu_ns);
    std::int64_t& sum = ns > 0 ? group.above : group.below;
    sum = saturated_sum(sum, ns);
  }
  for (Row<WaitMetric>& row : process.tree.waits) {
    Group& group = group_of(row);
    if (group.below == 0) continue;
    const std::int64_t ns = saturated_difference(row.metric.ns, row.metric.cpu_ns);
    if (ns <= 0) {
      row.metric.cpu_ns = row.metric.ns;
      continue;
    }
    const double left = std::clamp(static_cast<double>(saturated_sum(group.above, group.below)), 0.0, kMostRounded);
    group.seen += static_cast<double>(ns);
    const std::int64_t all = std::llround(left * std::min(1.0, group.seen / static_cast<double>(group.above)));
    const std::int64_t blocked = std::clamp<std::int64_t>(all - group.given, 0, ns);
    group.given = saturated_sum(group.given, blocked);
    row.metric.cpu_ns = saturated_difference(row.metric.ns, blocked);
  }
}

}  // namespace prof::model
