#include "report/fold/memory/sizes.hpp"

#include <unordered_set>

namespace prof::fold {

std::optional<std::uint64_t> largest_of_class(std::uint32_t size_class) {
  if (size_class + 1 >= log::kSizeClasses) return std::nullopt;
  return std::uint64_t{16} << size_class;
}

std::optional<SizeClasses> size_classes(const model::Run& run, const CallTree& tree, const Selection& selection,
                                        MemoryKind kind) {
  if (!tree.exact()) return std::nullopt;
  SizeClasses out{};
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    const model::Process& process = run.processes[i];
    if (!selection.includes(process)) continue;
    std::unordered_set<std::uint32_t> slots;
    for (const model::Thread& thread : process.threads) {
      if (selection.includes(thread)) slots.insert(thread.slot);
    }
    const auto chosen = [&](std::uint32_t node, std::uint32_t slot) {
      return (!selection.by_thread() || slots.contains(slot)) && tree.node_of(i, node) != CallTree::kNoNode;
    };
    const bool python = kind == MemoryKind::Python;
    for (const auto& once : (python ? process.tree.python : process.tree.heap).once()) {
      if (!chosen(once.node, once.slot)) continue;
      SizeClass& to = out[log::size_class(static_cast<std::uint64_t>(once.block.bytes()))];
      to.allocations = model::saturated_sum(to.allocations, std::int64_t{1});
      to.known_bytes = model::saturated_sum(to.known_bytes, once.block.bytes());
    }
    for (const model::SizeRow& row : python ? process.tree.python_sizes : process.tree.heap_sizes) {
      if (!chosen(row.node, row.slot)) continue;
      SizeClass& to = out[row.size_class];
      to.allocations = model::saturated_sum(to.allocations, row.allocations);
      if (row.bytes) {
        to.known_bytes = model::saturated_sum(to.known_bytes, *row.bytes);
      } else {
        to.unknown_allocations = model::saturated_sum(to.unknown_allocations, row.allocations);
      }
    }
  }
  return out;
}

}  // namespace prof::fold
