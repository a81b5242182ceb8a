#include "report/fold/memory/heap.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_set>

namespace prof::fold {

namespace {

template <typename Rows, typename Selected>
auto sum_of(const Rows& rows, Selected selected) {
  decltype((*rows.begin()).metric) sum;
  for (const auto& row : rows) {
    if (selected(row.slot)) sum += row.metric;
  }
  return sum;
}

void set_counters(HeapTotals& totals, const model::Counters& counters) {
  totals.allocations = counters.allocations;
  totals.frees = counters.frees;
  totals.reallocations = counters.reallocations;
  totals.allocated_bytes = counters.allocated_bytes;
  totals.maps = counters.maps;
  totals.unmaps = counters.unmaps;
  totals.mapped_bytes = counters.mapped_bytes;
  totals.unmapped_bytes = counters.unmapped_bytes;
  totals.samples = counters.heap_samples;
  totals.foreign_frees = counters.foreign_frees;
  totals.python_allocations = counters.python_allocations;
  totals.python_frees = counters.python_frees;
  totals.copies = counters.copies;
  totals.copied_bytes = counters.copied_bytes;
}

auto usual_order(const HeapSite& site) {
  return std::tuple(site.memory->peak_bytes, site.memory->bytes, -std::int64_t{site.node});
}

// By key(site), descending; keys differ.
template <typename Key>
void order_first(std::vector<HeapSite>& sites, std::size_t most, Key key) {
  const auto end = sites.begin() + static_cast<std::ptrdiff_t>(std::min(most, sites.size()));
  std::partial_sort(sites.begin(), end, sites.end(),
                    [&](const HeapSite& a, const HeapSite& b) { return key(a) > key(b); });
}

}  // namespace

const char* to_string(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::Maps:
      return "mapping";
    case MemoryKind::Python:
      return "python";
    case MemoryKind::Segments:
      return "segment";
    case MemoryKind::Tensors:
      return "tensor";
    case MemoryKind::Heap:
      break;
  }
  return "heap";
}

const model::MemoryMetric& memory_of(const model::Metrics& metrics, MemoryKind kind) {
  switch (kind) {
    case MemoryKind::Maps:
      return metrics.maps;
    case MemoryKind::Python:
      return metrics.python;
    case MemoryKind::Segments:
      return metrics.gpu.get().segments;
    case MemoryKind::Tensors:
      return metrics.gpu.get().tensors;
    case MemoryKind::Heap:
      break;
  }
  return metrics.heap;
}

const model::MemoryMetric& memory_of(const Columns& columns, std::uint32_t node, MemoryKind kind) {
  switch (kind) {
    case MemoryKind::Maps:
      return columns.maps[node];
    case MemoryKind::Python:
      return columns.python[node];
    case MemoryKind::Segments:
      return columns.gpu[node].segments;
    case MemoryKind::Tensors:
      return columns.gpu[node].tensors;
    case MemoryKind::Heap:
      break;
  }
  return columns.heap[node];
}

std::vector<HeapSite> heap_sites(const CallTree& tree, MemoryKind kind, std::size_t most) {
  std::vector<HeapSite> sites;
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    const model::MemoryMetric& memory = memory_of(tree.self(), node, kind);
    if (!memory.empty()) sites.push_back({node, &memory});
  }
  order_first(sites, most, usual_order);
  return sites;
}

void order_by_live(std::vector<HeapSite>& sites, std::size_t most) {
  order_first(sites, most, [](const HeapSite& site) {
    return std::tuple_cat(std::tuple(site.memory->live_bytes()), usual_order(site));
  });
}

HeapTotals heap_totals(const model::Run& run, const Selection& selection) {
  HeapTotals totals;
  totals.levels_known = !selection.by_thread();
  model::Counters counters;
  bool exact = false, sampled = false;
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    const model::Process& process = run.processes[i];
    if (!selection.includes(process)) continue;
    exact |= process.heap_mode == log::HeapMode::Exact;
    sampled |= process.heap_mode == log::HeapMode::Sampled;
    totals.python_counted |= process.python_counted;
    totals.copies_counted |= process.copies_counted;
    std::unordered_set<std::uint32_t> slots;
    for (const model::Thread& thread : process.threads) {
      if (!selection.by_thread() || !selection.includes(thread)) continue;
      slots.insert(thread.slot);
      counters += thread.counters;
    }
    const auto selected = [&](std::uint32_t slot) { return !selection.by_thread() || slots.contains(slot); };
    const model::MemoryMetric heap = sum_of(process.tree.heap, selected);
    const model::MemoryMetric python = sum_of(process.tree.python, selected);
    totals.heap += heap;
    totals.python += python;
    totals.sampled_copies += sum_of(process.tree.copies, selected);
    if (selection.by_thread()) continue;
    counters += process.totals;
    const model::MemoryMetric maps = sum_of(process.tree.maps, selected);
    totals.live_bytes = model::saturated_sum(totals.live_bytes, heap.live_bytes());
    totals.python_live_bytes = model::saturated_sum(totals.python_live_bytes, python.live_bytes());
    totals.map_live_bytes = model::saturated_sum(totals.map_live_bytes, maps.live_bytes());
    totals.map_peak_bytes = std::max(totals.map_peak_bytes, process.map_peak_bytes);
    totals.python_peak_bytes = std::max(totals.python_peak_bytes, process.python_peak_bytes);
    if (process.heap_peak_bytes > totals.peak_bytes) {
      totals.peak_bytes = process.heap_peak_bytes;
      totals.peak_process = i;
    }
  }
  totals.mode = sampled ? log::HeapMode::Sampled : exact ? log::HeapMode::Exact : log::HeapMode::Off;
  set_counters(totals, counters);
  return totals;
}

}  // namespace prof::fold
