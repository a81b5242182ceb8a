#include "report/fold/memory/program_memory.hpp"

namespace prof::fold {

model::MemoryMetric program_memory(const CallTree& tree, std::uint32_t node) {
  model::MemoryMetric out = tree.self().heap[node];
  out += objects_memory(tree, node);
  return out;
}

model::MemoryMetric objects_memory(const CallTree& tree, std::uint32_t node) {
  const model::MemoryMetric& maps = tree.self().maps[node];
  return maps.bytes > 0 && tree.function(node).interpreter ? maps : model::MemoryMetric{};
}

}  // namespace prof::fold
