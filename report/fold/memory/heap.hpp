// Memory by the stack that allocated it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "report/fold/call_tree.hpp"

namespace prof::fold {

// Trees have a million of them, of which tables show a few: what is large stays where it is.
struct HeapSite {
  std::uint32_t node = 0;                       // of the tree; stack_of() begins with the caller of malloc
  const model::MemoryMetric* memory = nullptr;  // in the tree, as long as that lives
};
enum class MemoryKind { Heap, Maps, Python, Segments, Tensors };
const char* to_string(MemoryKind kind);  // "heap", "mapping", "python", "segment", "tensor"
const model::MemoryMetric& memory_of(const model::Metrics& metrics, MemoryKind kind);
const model::MemoryMetric& memory_of(const Columns& columns, std::uint32_t node, MemoryKind kind);
// One site for each stack, of a tree of Granularity::Line. Ordered by peak bytes, then allocated bytes, descending; the
// first `most` are, and the rest come behind these in any order.
std::vector<HeapSite> heap_sites(const CallTree& tree, MemoryKind kind = MemoryKind::Heap, std::size_t most = SIZE_MAX);
// Brings the first `most` of such sites in the order of live bytes, descending, then in that of above.
void order_by_live(std::vector<HeapSite>& sites, std::size_t most);

// Whole processes, exact where the log is: allocations, frees and allocated bytes are exact counts.
struct HeapTotals {
  log::HeapMode mode = log::HeapMode::Off;  // Exact only if no process's contexts were sampled
  std::uint64_t allocations = 0, frees = 0, reallocations = 0, allocated_bytes = 0;
  std::uint64_t maps = 0, unmaps = 0, mapped_bytes = 0, unmapped_bytes = 0;
  std::uint64_t samples = 0;
  // Whether the bytes live and at the peak say something: not by thread, as one frees what another allocated.
  bool levels_known = false;
  std::int64_t live_bytes = 0;  // estimate when sampled; all processes, each when last heard of
  // Of the one process with the highest peak: peaks of different processes come at different times, so no sum of them.
  std::int64_t peak_bytes = 0;
  std::optional<std::size_t> peak_process;  // index into Run::processes
  std::int64_t map_live_bytes = 0, map_peak_bytes = 0;
  std::uint64_t foreign_frees = 0;   // of blocks that were not in the books
  model::MemoryMetric heap, python;  // what is in contexts, added up; of selected threads where some are selected
  bool python_counted = false;       // Python's own allocators, in any process
  std::uint64_t python_allocations = 0, python_frees = 0;
  std::int64_t python_live_bytes = 0, python_peak_bytes = 0;  // as those of the heap
  bool copies_counted = false;                                // in any process
  std::uint64_t copies = 0, copied_bytes = 0;
  model::CopyMetric sampled_copies;
};
HeapTotals heap_totals(const model::Run& run, const Selection& selection = {});

}  // namespace prof::fold
