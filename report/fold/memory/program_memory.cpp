#include "report/fold/memory/program_memory.hpp"

namespace prof::fold {

model::MemoryMetric program_memory(const CallTree& tree, std::uint32_t node) {
  const model::Metrics& self = tree.nodes()[node].self;
  model::MemoryMetric out = self.heap;
  if (self.maps.bytes > 0 && tree.function(node).interpreter) out += self.maps;
  return out;
}

}  // namespace prof::fold
