#include "report/fold/time/call_counts.hpp"

#include <unordered_set>

namespace prof::fold {

std::unordered_map<std::uint32_t, std::int64_t> call_counts(const model::Run& run, const symbols::Symbols& symbols,
                                                            const Selection& selection) {
  std::unordered_map<std::uint32_t, std::int64_t> counts;
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    const model::Process& process = run.processes[i];
    if (!selection.includes(process)) continue;
    std::unordered_set<std::uint32_t> slots;
    for (const model::Thread& thread : process.threads) {
      if (selection.includes(thread)) slots.insert(thread.slot);
    }
    for (const model::CallRow& row : process.tree.calls) {
      if (selection.by_thread() && !slots.contains(row.slot)) continue;
      const auto locations = symbols.locations(i, row.callee);
      if (locations.empty()) continue;
      std::int64_t& count = counts[symbols.location(locations.front()).function];
      count = model::saturated_sum(count, row.metric.calls);
    }
  }
  return counts;
}

}  // namespace prof::fold
