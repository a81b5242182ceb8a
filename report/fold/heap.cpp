#include "report/fold/heap.hpp"

#include <algorithm>

namespace prof::fold {

std::vector<HeapSite> heap_sites(const CallTree& tree, MemoryKind kind) {
  std::vector<HeapSite> sites;
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    const model::Metrics& self = tree.nodes()[node].self;
    const model::MemoryMetric& memory = kind == MemoryKind::Heap ? self.heap : self.maps;
    if (memory.empty()) continue;
    HeapSite& site = sites.emplace_back();
    site.memory = memory;
    for (std::uint32_t at = node; at != 0; at = tree.nodes()[at].parent)
      site.stack.push_back(tree.nodes()[at].location);
  }
  std::stable_sort(sites.begin(), sites.end(), [](const HeapSite& a, const HeapSite& b) {
    return std::pair(a.memory.peak_bytes, a.memory.bytes) > std::pair(b.memory.peak_bytes, b.memory.bytes);
  });
  return sites;
}

HeapTotals heap_totals(const model::Run& run, const Selection& selection) {
  HeapTotals totals;
  model::Counters counters;
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    const model::Process& process = run.processes[i];
    if (!selection.includes(process)) continue;
    totals.mode = std::max(totals.mode, process.heap_mode);
    if (selection.by_thread()) {
      for (const model::Thread& thread : process.threads) {
        if (selection.includes(thread)) counters += thread.counters;
      }
      continue;
    }
    counters += process.totals;
    model::MemoryMetric heap, maps;
    for (const auto& row : process.tree.heap) heap += row.metric;
    for (const auto& row : process.tree.maps) maps += row.metric;
    totals.live_bytes = model::saturated_sum(totals.live_bytes, heap.live_bytes());
    totals.map_live_bytes = model::saturated_sum(totals.map_live_bytes, maps.live_bytes());
    totals.map_peak_bytes = std::max(totals.map_peak_bytes, process.map_peak_bytes);
    if (process.heap_peak_bytes > totals.peak_bytes) {
      totals.peak_bytes = process.heap_peak_bytes;
      totals.peak_process = i;
    }
  }
  totals.allocations = counters.allocations;
  totals.frees = counters.frees;
  totals.reallocations = counters.reallocations;
  totals.allocated_bytes = counters.allocated_bytes;
  totals.maps = counters.maps;
  totals.unmaps = counters.unmaps;
  totals.mapped_bytes = counters.mapped_bytes;
  totals.unmapped_bytes = counters.unmapped_bytes;
  totals.samples = counters.heap_samples;
  return totals;
}

}  // namespace prof::fold
