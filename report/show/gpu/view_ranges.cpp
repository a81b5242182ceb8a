#include <algorithm>

#include "report/fold/gpu/gpu.hpp"
#include "report/fold/line_tree.hpp"
#include "report/show/captions.hpp"
#include "report/show/gpu/gpu_words.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::RangeRow;

constexpr std::size_t kUsualRows = 25;

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

Sheet ranges_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree tree = fold::line_tree(subject.run, subject.symbols, subject.selection);
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
  const bool gpu = tree.device_known(), heap = heap_recorded(subject),
             tensors = !tree.total().gpu.get().tensors.empty();
  sheet.columns = {
      {"total_ns", "total", Kind::Time},
      {"calls", "count", Kind::Count},
      {"avg_ns", "avg", Kind::Time},
      {"min_ns", "min", Kind::Time},
      {"max_ns", "max", Kind::Time},
      {"cpu_ns", "CPU", Kind::Time},
      {"gpu_ns", "GPU", Kind::Time, "", gpu ? Where::Everywhere : Where::CsvOnly},
      {"gpu_work", "GPU work", Kind::Count, "", Where::CsvOnly},
      {"allocated_bytes", "allocated", Kind::Bytes, "", heap ? Where::Everywhere : Where::CsvOnly},
      {"tensor_bytes", "tensors", Kind::Bytes, "", tensors ? Where::Everywhere : Where::CsvOnly},
      {"flops", "flops", Kind::Flops, "", tree.total().gpu.get().api.flops > 0 ? Where::Everywhere : Where::CsvOnly},
      {"name", "range", Kind::Text, "", Where::Everywhere, !options.wide},
      {"domain", "domain", Kind::Text}};
  const std::size_t shown = options.rows_of(rows.size(), kUsualRows);
  for (std::size_t i = 0; i < shown; ++i) {
    const RangeRow& row = rows[i];
    const model::GpuMetrics& inside = row.inside.gpu.get();
    const auto known = [&](bool recorded, std::int64_t value) { return recorded && !row.open ? Cell(value) : Cell(); };
    const bool ended = row.range.count > 0;
    sheet.add({row.range.ns, row.range.count, ended ? Cell(row.range.ns / row.range.count) : Cell(),
               row.range.each.min_ns ? Cell(*row.range.each.min_ns) : Cell(),
               row.range.each.max_ns ? Cell(*row.range.each.max_ns) : Cell(), known(true, row.inside.cpu.ns),
               known(gpu, inside.work.ns), known(gpu, inside.work.count), known(heap, row.inside.heap.bytes),
               known(tree.cuda_known(), inside.tensors.bytes), known(tree.cuda_known(), inside.api.flops),
               Cell(function(row).name), Cell(function(row).module == "range" ? std::string() : function(row).module)});
  }
  sheet.notes = left_out(shown, rows.size(), "ranges");
  return sheet;
}

extern const View kRangesView{
    .name = "ranges",
    .help = "ranges of the program's own (NVTX, ITT)",
    .topic = Topic::Time,
    .available =
        any_process<[](const model::Process& p) { return !p.tree.ranges.empty() || !p.tree.open_ranges.empty(); }>,
    .sheets = one_sheet<ranges_view>};

}  // namespace prof::show
