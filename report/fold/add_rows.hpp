// The figures of one process, row by row, to the nodes of a tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "report/fold/columns.hpp"
#include "report/fold/selected_slots.hpp"
#include "report/fold/selection.hpp"
#include "report/model/profile.hpp"

namespace prof::fold {

// What is known of the figures of a row: levels cannot be told by thread, as one frees what another allocated.
template <typename Metric>
const Metric& known_of(const Metric& metric, bool) {
  return metric;
}
inline model::MemoryMetric known_of(model::MemoryMetric metric, bool levels) {
  if (!levels) metric.freed_units = metric.freed_bytes = metric.peak_bytes = 0;
  return metric;
}

// A program that ends gives back what it held: the most of the last eighth of the moments is what had grown.
inline std::int64_t gained(const model::Growth& growth, const model::Growth::Row& row) {
  const std::uint32_t moments = growth.moments, last = std::max<std::uint32_t>(2, moments / 8);
  if (moments < 4) return 0;
  const auto end = row.live.begin() + moments;
  return model::saturated_difference(*std::max_element(end - last, end), row.live[(moments - 1) / 2]);
}

// Adds the selected rows of the process to `self`. target(node): where the figures of a node of the process go;
// kDropped: nowhere.
// `cpu`: the rows of CPU time, where they are not the process's own.
template <typename Target>
void add_rows(const model::Process& process, const Selection& selection, Target target, Columns& self,
              std::span<const model::Row<model::CpuMetric>> cpu) {
  const SelectedSlots slots(process, selection);
  const bool levels = !selection.by_thread();
  const auto add = [&](const auto& rows, auto at) {
    for (const auto& row : rows) {
      if (!slots.contains(row.slot)) continue;
      if (const std::uint32_t node = target(row.node); node != kDropped) at(node) += known_of(row.metric, levels);
    }
  };
  const auto in = [](auto& column) {
    return [&](std::uint32_t node) -> auto& { return column.make(node); };
  };
  const auto of_gpu = [&](auto part) {
    return [&, part ](std::uint32_t node) -> auto& { return self.gpu.make(node).*part; };
  };
  add(cpu, in(self.cpu));
  add(process.tree.heap, in(self.heap));
  add(process.tree.maps, in(self.maps));
  add(process.tree.python, in(self.python));
  add(process.tree.copies, in(self.copies));
  add(process.tree.waits, in(self.wait));
  add(process.tree.holds, in(self.holds));
  if (levels) {
    for (const model::Growth::Row& row : process.tree.heap_growth.rows) {
      const std::int64_t bytes = gained(process.tree.heap_growth, row);
      if (bytes <= 0) continue;
      if (const std::uint32_t node = target(row.node); node != kDropped) accumulate(self.growth.make(node), bytes);
    }
  }
  add(process.tree.api, of_gpu(&model::GpuMetrics::api));
  add(process.tree.segments, of_gpu(&model::GpuMetrics::segments));
  add(process.tree.tensors, of_gpu(&model::GpuMetrics::tensors));
  // Whoever records what devices did, it is not the thread that launched it.
  if (!levels) return;
  add(process.tree.device, of_gpu(&model::GpuMetrics::work));
  add(process.tree.idle, of_gpu(&model::GpuMetrics::idle));
}

}  // namespace prof::fold
