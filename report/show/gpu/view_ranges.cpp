#include <algorithm>

#include "report/fold/line_tree.hpp"
#include "report/show/captions.hpp"
#include "report/show/gpu/gpu_figures.hpp"
#include "report/show/gpu/gpu_text.hpp"
#include "report/show/processes.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::RangeRow;

constexpr std::size_t kUsualRanges = 25;

double sort_value(const RangeRow& row, SortKey key) {
  switch (key) {
    case SortKey::Calls:
      return static_cast<double>(row.range.count);
    case SortKey::Average:
      return static_cast<double>(row.range.ns) / static_cast<double>(std::max<std::int64_t>(1, row.range.count));
    case SortKey::Cumtime:
    case SortKey::Tottime:
      return static_cast<double>(row.inside.cpu.ns);
    case SortKey::Gpu:
      return static_cast<double>(row.inside.gpu.get().work.ns);
    case SortKey::Allocated:
      return static_cast<double>(row.inside.heap.bytes);
    default:
      return static_cast<double>(row.range.ns);
  }
}

}  // namespace

Figures<RangeRow> range_figures(const Subject& subject, const fold::CallTree& tree, const ViewOptions& options) {
  const bool gpu = tree.device_known(), cuda = tree.cuda_known(), heap = heap_recorded(subject);
  const model::GpuMetrics& all = tree.total().gpu.get();
  const auto function = [&subject](const RangeRow& row) -> const symbols::Function& {
    return subject.symbols.function(row.function);
  };
  // What happened in a range that is not known to end on its thread, nobody knows.
  const auto inside = [](const RangeRow& row, bool recorded, std::int64_t value) {
    return known_if(recorded && !row.open, value);
  };
  return {{{"total_ns", "total", Kind::Time}, [](auto& row) { return row.range.ns; }},
          {{"count", "count", Kind::Count}, [](auto& row) { return row.range.count; }},
          {{"avg_ns", "avg", Kind::Time},
           [](auto& row) {
             return known_if(row.range.count > 0,
                             static_cast<double>(row.range.ns) / static_cast<double>(row.range.count));
           }},
          {{"min_ns", "min", Kind::Time}, [](auto& row) { return maybe(row.range.each.min_ns); }},
          {{"max_ns", "max", Kind::Time}, [](auto& row) { return maybe(row.range.each.max_ns); }},
          {{"cpu_ns", "CPU", Kind::Time}, [=](auto& row) { return inside(row, true, row.inside.cpu.ns); }},
          {{"gpu_ns", "GPU", Kind::Time, "", shown_if(gpu)},
           [=](auto& row) { return inside(row, gpu, row.inside.gpu.get().work.ns); }},
          {data("gpu_work", "GPU work", Kind::Count),
           [=](auto& row) { return inside(row, gpu, row.inside.gpu.get().work.count); }},
          {{"allocated_bytes", "allocated", Kind::Bytes, "", shown_if(heap)},
           [=](auto& row) { return inside(row, heap, row.inside.heap.bytes); }},
          {{"tensor_bytes", "tensors", Kind::Bytes, "", shown_if(!all.tensors.empty())},
           [=](auto& row) { return inside(row, cuda, row.inside.gpu.get().tensors.bytes); }},
          {{"flops", "flops", Kind::Flops, "", shown_if(all.api.flops > 0)},
           [=](auto& row) { return inside(row, cuda, row.inside.gpu.get().api.flops); }},
          {{"name", "range", Kind::Text, "", Where::Everywhere, !options.wide},
           [=](auto& row) { return function(row).name; }},
          {{"domain", "domain", Kind::Text},
           [=](auto& row) { return function(row).module == "range" ? std::string() : function(row).module; }},
          {data("nested", "nested", Kind::Flag), [](auto& row) { return !row.open; }}};
}

// Ranges of the program's own, and what happened in them.
static Sheet ranges_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree& tree = mixed_line_tree(subject);
  std::vector<RangeRow> rows = fold::ranges(subject.run, tree, subject.selection);
  const auto function = [&](const RangeRow& row) -> const symbols::Function& {
    return subject.symbols.function(row.function);
  };
  const SortKey key = options.sort.value_or(SortKey::Total);
  std::stable_sort(rows.begin(), rows.end(), [&](const RangeRow& a, const RangeRow& b) {
    if (key == SortKey::Name) return function(a).name < function(b).name;
    return sort_value(a, key) > sort_value(b, key);
  });

  Sheet sheet;
  sheet.title = "Ranges";
  if (rows.empty()) {
    sheet.captions.emplace_back(
        "No range was seen: the program marks them by NVTX (torch.cuda.nvtx.range_push, nvtx.annotate, nvtxRangePush) "
        "or "
        "ITT, and PROF_RANGES=off turns them off.");
  } else {
    sheet.captions.emplace_back(
        "Exact wall time between begin and end. CPU, GPU and allocated: of all that the thread did in the range, and "
        "GPUs for that, inner ranges included; a range within itself counts once.");
    sheet.captions.push_back(cpu_sampling(subject) + '.');
    const auto open = [](const RangeRow& row) { return row.open; };
    if (std::any_of(rows.begin(), rows.end(), open)) {
      sheet.captions.emplace_back("Ranges with - may end on another thread: what happened in them is not known.");
    }
  }
  for (std::string& caption : gpu_captions(subject, options)) sheet.captions.push_back(std::move(caption));
  const std::size_t shown = options.rows_of(rows.size(), kUsualRanges);
  fill(sheet, range_figures(subject, tree, options), rows, shown);
  sheet.notes = left_out(shown, rows.size(), "ranges");
  return sheet;
}

extern const View kRangesView{
    .name = "ranges",
    .help = "ranges of the program's own (NVTX, ITT)",
    .topic = Topic::Time,
    .available =
        any_process<[](const model::Process& p) { return !p.tree.ranges.empty() || !p.tree.open_ranges.empty(); }>,
    .sheets = one_sheet<ranges_view>,
    .sorts = kCallKeys | SortKeys{SortKey::Cumtime, SortKey::Tottime, SortKey::Gpu, SortKey::Allocated}};

}  // namespace prof::show
