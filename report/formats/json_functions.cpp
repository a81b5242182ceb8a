#include "report/formats/json_functions.hpp"

#include <span>

#include "report/fold/time/call_counts.hpp"
#include "report/formats/json_rows.hpp"
#include "report/show/measure.hpp"
#include "report/show/processes.hpp"
#include "report/show/time/function_figures.hpp"
#include "report/show/trees.hpp"

namespace prof::formats {
namespace {

using show::SortKey;

Json memory_figures(const model::MemoryMetric& memory, const fold::CallTree& tree) {
  const bool live_known = tree.live_known();
  return {{"allocations", memory.allocations()},
          {"allocated_bytes", memory.bytes},
          {"live_bytes", live_known ? Json(memory.live_bytes()) : Json()},
          {"peak_bytes", live_known ? Json(memory.peak_bytes) : Json()},
          {"temporary", tree.exact() ? Json(memory.temporary) : Json()}};
}

}  // namespace

Json functions_json(const show::Subject& subject, const show::ViewOptions& options) {
  const fold::CallTree& tree = show::any_tree(subject);
  const bool heap_known = show::heap_recorded(subject);
  // What orders other lists does not order this one.
  SortKey key = options.sort.value_or(SortKey::Tottime);
  const bool by_cpu = show::measure_of(key) == model::Measure::CpuTime;
  if (by_cpu && key != SortKey::Cumtime && key != SortKey::Calls && key != SortKey::Name) key = SortKey::Tottime;
  const show::CallCounts calls = fold::call_counts(subject.run, subject.symbols, subject.selection);
  const auto rows = show::functions_in_order(subject, calls, key, options);
  const std::size_t shown = options.rows_of(rows.size(), rows.size());
  return rows_json(std::span(rows).first(shown), show::function_figures(subject, tree, calls, rows, {}),
                   "name file line module language calls tottime_s cumtime_s blocked_s cumblocked_s gpu_s cumgpu_s "
                   "special samples cum_samples heap cum_heap",
                   [&](Json& out, const fold::FunctionRow& row) {
                     out["language"] = to_string(subject.symbols.function(row.function).language);
                     out["heap"] = heap_known ? memory_figures(row.self.heap, tree) : Json();
                     out["cum_heap"] = heap_known ? memory_figures(row.cumulative.heap, tree) : Json();
                   });
}

}  // namespace prof::formats
