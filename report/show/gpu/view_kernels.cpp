#include <fmt/format.h>

#include <algorithm>

#include "report/fold/line_tree.hpp"
#include "report/show/captions.hpp"
#include "report/show/gpu/gpu_figures.hpp"
#include "report/show/gpu/gpu_text.hpp"
#include "report/show/numbers.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::WorkRow;

constexpr std::size_t kUsualKernels = 20, kUsualStreams = 10;

void sort_rows(std::vector<WorkRow>& rows, SortKey key, const symbols::Symbols& symbols) {
  const auto value = [&](const WorkRow& row) {
    if (key == SortKey::Calls) return static_cast<double>(row.work.count);
    if (key == SortKey::Bytes) return static_cast<double>(row.work.bytes);
    const auto ns = static_cast<double>(row.work.ns);
    return key == SortKey::Average ? ns / static_cast<double>(std::max<std::int64_t>(1, row.work.timed())) : ns;
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const WorkRow& a, const WorkRow& b) {
    if (key == SortKey::Name) return symbols.function(a.function).name < symbols.function(b.function).name;
    return value(a) > value(b);
  });
}

bool is_graph(const WorkRow& row) { return row.name.name == "(CUDA graph)"; }

Sheet streams_sheet(const Subject& subject, const ViewOptions& options) {
  const std::vector<fold::StreamRow> rows = fold::streams(subject.run, subject.selection);
  Sheet sheet;
  sheet.title = "By stream";
  if (!options.focus.empty() || !options.ignore.empty()) {
    sheet.captions.emplace_back("Of all stacks: streams have none.");
  }
  sheet.one_time_unit = true;
  const std::size_t shown = options.rows_of(rows.size(), kUsualStreams);
  fill(sheet, stream_figures(rows), rows, shown);
  sheet.notes = left_out(shown, rows.size(), "streams");
  return sheet;
}

}  // namespace

// What GPUs did, by kernel and, unless for other programs, by stream.
static std::vector<Sheet> kernels_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree& tree = mixed_line_tree(subject);
  std::vector<WorkRow> rows = fold::device_work(subject.run, tree, subject.selection, fold::WorkKind::Kernels);
  sort_rows(rows, options.sort.value_or(SortKey::Total), subject.symbols);
  model::DeviceMetric all;
  for (const WorkRow& row : rows) all += row.work;

  std::vector<Sheet> sheets(1);
  Sheet& sheet = sheets.front();
  sheet.title = "Kernels";
  const auto why = why_no_cuda(subject);
  const std::vector<std::string> why_not = why ? std::vector{*why} : why_no_devices(subject);
  sheet.captions = why_not;
  if (!rows.empty()) {
    sheet.captions.insert(
        sheet.captions.begin(),
        fmt::format("{} of {} on GPUs, as CUPTI recorded them. launched by: the innermost line of the "
                    "program's own Python code, without one the innermost function.",
                    counted(all.count, "kernel", "kernels"), duration(static_cast<double>(all.ns))));
    if (std::any_of(rows.begin(), rows.end(), is_graph)) {
      sheet.captions.emplace_back(
          "(CUDA graph): one for each launch of a graph, all of its kernels together; prof run --cuda-graph node tells "
          "them apart.");
    }
  } else if (why_not.empty()) {
    sheet.captions.emplace_back("No kernel was recorded: the program launched none while it was profiled.");
  }
  for (std::string& caption : gpu_captions(subject, options)) sheet.captions.push_back(std::move(caption));
  const std::size_t shown = options.rows_of(rows.size(), kUsualKernels);
  fill(sheet, kernel_figures(subject, rows, options), rows, shown);
  sheet.notes = left_out(shown, rows.size(), "kernels");
  if (options.everything) return sheets;
  if (Sheet by_stream = streams_sheet(subject, options); !by_stream.rows.empty())
    sheets.push_back(std::move(by_stream));
  return sheets;
}

// Copies and sets by kind: their time and their size.
static Sheet copies_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree& tree = mixed_line_tree(subject);
  std::vector<WorkRow> rows = fold::device_work(subject.run, tree, subject.selection, fold::WorkKind::Copies);
  sort_rows(rows, options.sort.value_or(SortKey::Total), subject.symbols);
  model::DeviceMetric all;
  for (const WorkRow& row : rows) all += row.work;

  Sheet sheet;
  sheet.title = "Copies and sets of GPU memory";
  const auto why = why_no_cuda(subject);
  sheet.captions = why ? std::vector{*why} : why_no_devices(subject);
  if (!rows.empty()) {
    sheet.captions.insert(
        sheet.captions.begin(),
        fmt::format(
            "{} of {} in {} on GPUs, as CUPTI recorded them. memory: the kind of the host's or the written side; "
            "pageable memory is copied through a buffer of the driver's.",
            counted(all.count, "copy or set", "copies and sets"), bytes(static_cast<double>(all.bytes)),
            duration(static_cast<double>(all.ns))));
  } else if (sheet.captions.empty()) {
    sheet.captions.emplace_back("No copy was recorded: the program made none while it was profiled.");
  }
  for (std::string& caption : gpu_captions(subject, options)) sheet.captions.push_back(std::move(caption));
  const std::size_t shown = options.rows_of(rows.size(), rows.size());
  fill(sheet, copy_figures(subject, rows, options), rows, shown);
  sheet.notes = left_out(shown, rows.size(), "kinds of copies");
  return sheet;
}

extern const View kKernelsView{.name = "kernels",
                               .help = "kernels by time on GPUs",
                               .topic = Topic::Gpu,
                               .available = any_process<[](const model::Process& p) { return model::saw_cuda(p); }>,
                               .sheets = kernels_view,
                               .sorts = kCallKeys};

extern const View kCopiesView{.name = "copies",
                              .help = "copies and sets: time and bytes",
                              .topic = Topic::Gpu,
                              .available = any_process<[](const model::Process& p) { return model::saw_cuda(p); }>,
                              .sheets = one_sheet<copies_view>,
                              .sorts = kCallKeys | SortKeys{SortKey::Bytes}};

}  // namespace prof::show
