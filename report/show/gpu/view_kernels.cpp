#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/fold/gpu/gpu.hpp"
#include "report/fold/line_tree.hpp"
#include "report/show/captions.hpp"
#include "report/show/gpu/gpu_words.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/stack_text.hpp"
#include "report/show/time_columns.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::WorkRow;

constexpr std::size_t kUsualKernels = 20, kUsualStreams = 10, kLaunchersInCsv = 5;

// "train_step (train.py:12)", and how much of the time that was if it was not all.
std::string launchers(const symbols::Symbols& symbols, const WorkRow& row, const ViewOptions& options) {
  const std::size_t told = options.everything || options.wide ? kLaunchersInCsv : 1;
  std::string out;
  for (std::size_t i = 0; i < row.launched_by.size() && i < told; ++i) {
    const fold::Launcher& launcher = row.launched_by[i];
    if (i > 0) out += "; ";
    out += place_name(symbols, launcher.location, options.wide);
    if (row.launched_by.size() > 1) {
      out += fmt::format(" {} %", percent(static_cast<double>(launcher.ns), static_cast<double>(row.work.ns)));
    }
  }
  if (row.launched_by.size() > told) out += fmt::format(" (+{})", row.launched_by.size() - told);
  return out;
}

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

bool medians(const std::vector<WorkRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const WorkRow& row) { return row.median_ns.has_value(); });
}

bool is_graph(const WorkRow& row) { return row.name.name == "(CUDA graph)"; }

Sheet streams_sheet(const Subject& subject, const ViewOptions& options) {
  const std::vector<fold::StreamRow> rows = fold::streams(subject.run, subject.selection);
  Sheet sheet;
  sheet.title = "By stream";
  if (!options.focus.empty() || !options.ignore.empty()) {
    sheet.captions.emplace_back("Of all stacks: streams have none.");
  }
  const auto where = [&](auto some) {
    return std::any_of(rows.begin(), rows.end(), some) ? Where::Everywhere : Where::CsvOnly;
  };
  const Where kernels = where([](const fold::StreamRow& row) { return row.kernels.count > 0; });
  const Where copies = where([](const fold::StreamRow& row) { return row.copies.count > 0; });
  sheet.columns = {{"kernel_ns", "kernels", Kind::Time, "", kernels},
                   {"kernels", "count", Kind::Count, "", kernels},
                   {"copy_ns", "copies", Kind::Time, "", copies},
                   {"copies", "count", Kind::Count, "", copies},
                   {"copied_bytes", "bytes", Kind::Bytes, "", copies},
                   {"device", "GPU", Kind::Plain},
                   {"stream", "stream", Kind::Text},
                   {"context", "of", Kind::Text},
                   {"pid", "pid", Kind::Plain}};
  sheet.one_time_unit = true;
  const std::size_t shown = options.rows_of(rows.size(), kUsualStreams);
  for (std::size_t i = 0; i < shown; ++i) {
    const fold::StreamRow& row = rows[i];
    sheet.add({row.kernels.ns, row.kernels.count, row.copies.ns, row.copies.count, row.copies.bytes,
               std::int64_t{row.device}, Cell(row.name), Cell(row.context), std::int64_t{row.pid}});
  }
  sheet.notes = left_out(shown, rows.size(), "streams");
  return sheet;
}

}  // namespace

std::vector<Sheet> kernels_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree tree = fold::line_tree(subject.run, subject.symbols, subject.selection);
  std::vector<WorkRow> rows = fold::device_work(subject.run, tree, subject.selection, fold::WorkKind::Kernels);
  sort_rows(rows, options.sort.value_or(SortKey::Total), subject.symbols);
  model::DeviceMetric all;
  std::set<std::uint32_t> devices;
  for (const WorkRow& row : rows) {
    all += row.work;
    devices.insert(row.device);
  }

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
  sheet.columns = time_columns("count", medians(rows));
  const Where several = devices.size() > 1 ? Where::Everywhere : Where::CsvOnly;
  sheet.columns.insert(sheet.columns.end(),
                       {{"untimed", "untimed", Kind::Count, "", all.untimed > 0 ? Where::Everywhere : Where::CsvOnly},
                        {"device", "GPU", Kind::Plain, "", several},
                        {"kernel", "kernel", Kind::Text, "", Where::TableOnly, !options.wide},
                        {"name", "kernel", Kind::Text, "", Where::CsvOnly},
                        {"launched_by", "launched by", Kind::Text, "", Where::Everywhere, !options.wide}});
  const std::size_t shown = options.rows_of(rows.size(), kUsualKernels);
  for (std::size_t i = 0; i < shown; ++i) {
    const WorkRow& row = rows[i];
    const symbols::Function& kernel = subject.symbols.function(row.function);
    std::vector<Cell> cells = time_cells(row.work.ns, row.work.count, row.work.timed(), row.work.each, row.median_ns,
                                         static_cast<double>(all.ns));
    cells.insert(cells.end(), {row.work.untimed, std::int64_t{row.device}, Cell(label(kernel, options.wide)),
                               Cell(kernel.name), Cell(launchers(subject.symbols, row, options))});
    sheet.add(std::move(cells));
  }
  sheet.notes = left_out(shown, rows.size(), "kernels");
  if (options.everything) return sheets;
  if (Sheet by_stream = streams_sheet(subject, options); !by_stream.rows.empty())
    sheets.push_back(std::move(by_stream));
  return sheets;
}

Sheet copies_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree tree = fold::line_tree(subject.run, subject.symbols, subject.selection);
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
  sheet.columns = time_columns("count", medians(rows));
  sheet.columns.insert(sheet.columns.end(),
                       {{"bytes", "bytes", Kind::Bytes},
                        {"avg_bytes", "avg size", Kind::Bytes},
                        {"bytes_per_s", "speed", Kind::ByteRate},
                        {"untimed", "untimed", Kind::Count, "", all.untimed > 0 ? Where::Everywhere : Where::CsvOnly},
                        {"kind", "kind", Kind::Text},
                        {"memory", "memory", Kind::Text},
                        {"device", "GPU", Kind::Plain},
                        {"launched_by", "asked for by", Kind::Text, "", Where::Everywhere, !options.wide}});
  const std::size_t shown = options.rows_of(rows.size(), rows.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const WorkRow& row = rows[i];
    std::vector<Cell> cells = time_cells(row.work.ns, row.work.count, row.work.timed(), row.work.each, row.median_ns,
                                         static_cast<double>(all.ns));
    const auto size = static_cast<double>(row.work.bytes);
    cells.insert(cells.end(),
                 {row.work.bytes, row.work.count > 0 ? Cell(size / static_cast<double>(row.work.count)) : Cell(),
                  row.work.ns > 0 ? Cell(size / static_cast<double>(row.work.ns) * 1e9) : Cell(), row.work.untimed,
                  Cell(row.name.name), Cell(row.name.group), std::int64_t{row.device},
                  Cell(launchers(subject.symbols, row, options))});
    sheet.add(std::move(cells));
  }
  sheet.notes = left_out(shown, rows.size(), "kinds of copies");
  return sheet;
}

extern const View kKernelsView{.name = "kernels",
                               .help = "kernels by time on GPUs",
                               .topic = Topic::Gpu,
                               .available = any_process<[](const model::Process& p) { return model::saw_cuda(p); }>,
                               .sheets = kernels_view};

extern const View kCopiesView{.name = "copies",
                              .help = "copies and sets: time and bytes",
                              .topic = Topic::Gpu,
                              .available = any_process<[](const model::Process& p) { return model::saw_cuda(p); }>,
                              .sheets = one_sheet<copies_view>};

}  // namespace prof::show
