#include "report/fold/call_tree.hpp"

#include <algorithm>
#include <utility>

#include "report/fold/walk.hpp"
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

void CallTree::make_order() const {
  std::vector<Visit> order;
  order.reserve(nodes_.size());
  std::uint32_t depth = 0;
  walk(
      *this,
      [&](std::uint32_t node) {
        order.push_back({node, ++depth});
      },
      [&](std::uint32_t) { --depth; });
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
