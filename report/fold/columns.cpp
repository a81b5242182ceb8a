#include "report/fold/columns.hpp"

namespace prof::fold {

bool Columns::empty(std::uint32_t node) const {
  return cpu[node].empty() && heap[node].empty() && maps[node].empty() && python[node].empty() &&
         copies[node].empty() && growth[node] == 0 && wait[node].empty() && holds[node].empty() &&
         gpu[node] == model::GpuMetrics{};
}

void Columns::add_to(model::Metrics& sum, std::uint32_t node) const {
  if (cpu.has(node)) sum.cpu += cpu[node];
  if (heap.has(node)) sum.heap += heap[node];
  if (maps.has(node)) sum.maps += maps[node];
  if (python.has(node)) sum.python += python[node];
  if (copies.has(node)) sum.copies += copies[node];
  if (growth.has(node)) accumulate(sum.growth_bytes, growth[node]);
  if (wait.has(node)) sum.wait += wait[node];
  if (holds.has(node)) sum.holds += holds[node];
  if (gpu.has(node)) sum.gpu.make() += gpu[node];
}

model::Metrics Columns::of(std::uint32_t node) const {
  model::Metrics out;
  add_to(out, node);
  return out;
}

}  // namespace prof::fold
