#include "report/fold/columns.hpp"

namespace prof::fold {

bool Columns::empty(std::uint32_t node) const {
  bool nothing = true;
  for_each([&](const auto& column, auto) { nothing = nothing && column.empty(node); });
  return nothing;
}

void Columns::add_to(model::Metrics& sum, std::uint32_t node) const {
  cpu.add_to(sum.cpu, node);
  heap.add_to(sum.heap, node);
  maps.add_to(sum.maps, node);
  python.add_to(sum.python, node);
  copies.add_to(sum.copies, node);
  growth.add_to(sum.growth_bytes, node);
  wait.add_to(sum.wait, node);
  holds.add_to(sum.holds, node);
  if (gpu.has(node)) sum.gpu.make() += gpu[node];
}

model::Metrics Columns::of(std::uint32_t node) const {
  model::Metrics out;
  add_to(out, node);
  return out;
}

}  // namespace prof::fold
