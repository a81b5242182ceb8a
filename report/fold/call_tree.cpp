#include "report/fold/call_tree.hpp"

#include <algorithm>
#include <utility>

#include "report/model/measure_value.hpp"

namespace prof::fold {
namespace {

struct SelfParts {
  const Columns& of;
  std::uint32_t node;
  const model::CpuMetric& cpu() const { return of.cpu[node]; }
  const model::MemoryMetric& heap() const { return of.heap[node]; }
  const model::MemoryMetric& maps() const { return of.maps[node]; }
  const model::MemoryMetric& python() const { return of.python[node]; }
  const model::CopyMetric& copies() const { return of.copies[node]; }
  std::int64_t growth() const { return of.growth[node]; }
  const model::WaitMetric& wait() const { return of.wait[node]; }
  const model::GpuMetrics& gpu() const { return of.gpu[node]; }
};

struct TotalParts {
  const CallTree& of;
  std::uint32_t node;
  const model::CpuMetric& cpu() const { return of.totals(&Columns::cpu)[node]; }
  const model::MemoryMetric& heap() const { return of.totals(&Columns::heap)[node]; }
  const model::MemoryMetric& maps() const { return of.totals(&Columns::maps)[node]; }
  const model::MemoryMetric& python() const { return of.totals(&Columns::python)[node]; }
  const model::CopyMetric& copies() const { return of.totals(&Columns::copies)[node]; }
  std::int64_t growth() const { return of.totals(&Columns::growth)[node]; }
  const model::WaitMetric& wait() const { return of.totals(&Columns::wait)[node]; }
  const model::GpuMetrics& gpu() const { return of.totals(&Columns::gpu)[node]; }
};

}  // namespace

std::int64_t CallTree::self_value(std::uint32_t node, model::Measure measure) const {
  return model::measure_value(SelfParts{self_, node}, measure);
}

std::int64_t CallTree::total_value(std::uint32_t node, model::Measure measure) const {
  return model::measure_value(TotalParts{*this, node}, measure);
}

// Children come after their parents, and in the order in which a walk comes to them: two passes over the nodes as they
// lie in memory find where each one stands.
void CallTree::make_order() const {
  const auto count = static_cast<std::uint32_t>(nodes_.size());
  std::vector<std::uint32_t> next(count, 1);  // how many are at or below a node; then where its next child stands
  for (std::uint32_t node = count; node-- > 1;) next[nodes_[node].parent] += next[node];
  next[0] = 0;
  std::vector<std::uint32_t> depth(count);
  std::vector<Visit> order(count - 1);
  for (std::uint32_t node = 1; node < count; ++node) {
    const std::uint32_t parent = nodes_[node].parent, at = next[parent];
    next[parent] += next[node];
    depth[node] = depth[parent] + 1;
    order[at] = {node, depth[node]};
    next[node] = at + 1;
  }
  order_ = std::move(order);
}

std::span<const std::uint32_t> CallTree::children(std::uint32_t node) const {
  return std::span(child_list_).subspan(child_begin_[node], child_begin_[node + 1] - child_begin_[node]);
}

void for_each_stack(const CallTree& tree, model::Measure measure,
                    const std::function<void(std::span<const std::uint32_t>, std::int64_t)>& each) {
  std::vector<std::uint32_t> stack;
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    const std::int64_t value = tree.self_value(node, measure);
    if (value == 0) continue;
    stack.clear();
    for (std::uint32_t at = node; at != 0; at = tree.nodes()[at].parent) stack.push_back(tree.function_id(at));
    std::reverse(stack.begin(), stack.end());
    each(stack, value);
  }
}

}  // namespace prof::fold
