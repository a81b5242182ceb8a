#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/fold/gpu/flops.hpp"
#include "report/fold/gpu/gpu.hpp"
#include "report/fold/line_tree.hpp"
#include "report/show/captions.hpp"
#include "report/show/gpu/gpu_words.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/stack_text.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::FlopRow;

constexpr std::size_t kUsualRows = 20;

double sort_value(const FlopRow& row, SortKey key) {
  switch (key) {
    case SortKey::Calls:
      return static_cast<double>(row.calls.calls);
    case SortKey::Total:
    case SortKey::Gpu:
      return static_cast<double>(row.work.ns);
    case SortKey::Average:
      return row.flops_per_s.value_or(-1);
    default:
      return static_cast<double>(row.calls.flops);
  }
}

// "989 TFLOP/s FP16 (9.0: 132 multiprocessors at 1.98 GHz)" of each device and precision that the rows are of.
std::vector<std::string> peaks(const Subject& subject, const std::vector<FlopRow>& rows) {
  std::set<fold::Precision> precisions;
  for (const FlopRow& row : rows) {
    if (row.precision) precisions.insert(*row.precision);
  }
  std::vector<std::string> out;
  for (const fold::DeviceRow& row : fold::devices(subject.run, subject.selection)) {
    const model::Device& device = row.device;
    std::string list;
    for (const fold::Precision precision : precisions) {
      const auto peak = fold::peak_flops(device, precision);
      if (!peak) continue;
      list += fmt::format("{}{} {:.1f}", list.empty() ? "" : ", ", fold::to_string(precision), *peak / 1e12);
    }
    if (list.empty()) continue;
    out.push_back(
        fmt::format("Taken as the peak of {}: {} TFLOP/s, from compute capability {}.{}, {} multiprocessors and their "
                    "highest clock "
                    "of {:.2f} GHz; dense, FP64 and formats below FP32 by matrix units.",
                    device_name(device), list, device.compute_major, device.compute_minor, device.multiprocessors,
                    device.clock_khz / 1e6));
  }
  return out;
}

}  // namespace

Sheet flops_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree tree = fold::line_tree(subject.run, subject.symbols, subject.selection);
  std::vector<FlopRow> rows = fold::flops(subject.run, tree, subject.selection);
  const SortKey key = options.sort.value_or(SortKey::Flops);
  std::stable_sort(rows.begin(), rows.end(), [&](const FlopRow& a, const FlopRow& b) {
    if (key == SortKey::Name)
      return subject.symbols.function(a.function).name < subject.symbols.function(b.function).name;
    return sort_value(a, key) > sort_value(b, key);
  });
  const auto any = [&](auto some) { return std::any_of(rows.begin(), rows.end(), some); };
  const bool timed = any([](const FlopRow& row) { return !row.work.empty(); });
  const bool told = any([](const FlopRow& row) { return row.precision.has_value(); });
  const bool rated = any([](const FlopRow& row) { return row.peak_share.has_value(); });
  const auto where = [](bool wanted) { return wanted ? Where::Everywhere : Where::CsvOnly; };
  const auto whole = static_cast<double>(tree.total().gpu.get().api.flops);

  Sheet sheet;
  sheet.title = "Floating point operations by call site";
  if (const auto why = why_no_cuda(subject)) {
    sheet.captions.push_back(*why);
  } else if (rows.empty()) {
    sheet.captions.emplace_back(
        "No call that has a formula was seen: matrix products of cuBLAS and cuBLASLt, convolutions and RNNs of cuDNN, "
        "transforms of cuFFT; kernels of the program's own have none.");
  } else {
    std::string words =
        "flops: what the calls' arguments ask for, a multiply-add being two; a library may do more or fewer.";
    if (timed) words += " GPU: time of what the calls made GPUs do.";
    if (told) {
      words += " precision: as the kernels' names tell it, else the function's.";
      if (rated) words += " % of peak: of what the GPU could do in that time at that precision.";
    }
    sheet.captions.push_back(std::move(words));
    for (std::string& peak : peaks(subject, rows)) sheet.captions.push_back(std::move(peak));
    for (std::string& reason : why_no_devices(subject)) sheet.captions.push_back(std::move(reason));
  }
  for (std::string& caption : gpu_captions(subject, options)) sheet.captions.push_back(std::move(caption));
  sheet.columns = {{"flops_share", "%", Kind::Share, "of all", Where::TableOnly},
                   {"flops", "flops", Kind::Flops},
                   {"calls", "calls", Kind::Count},
                   {"gpu_ns", "GPU", Kind::Time, "", where(timed)},
                   {"flops_per_s", "speed", Kind::FlopRate, "", where(timed)},
                   {"peak_share", "%", Kind::Share, "of peak", where(rated)},
                   {"precision", "precision", Kind::Text, "", where(told)},
                   {"name", "function", Kind::Text, "", Where::Everywhere, !options.wide},
                   {"library", "library", Kind::Text, "", Where::CsvOnly},
                   {"site", "called from", Kind::Text, "", Where::Everywhere, !options.wide}};
  const std::size_t shown = options.rows_of(rows.size(), kUsualRows);
  for (std::size_t i = 0; i < shown; ++i) {
    const FlopRow& row = rows[i];
    const symbols::Function& function = subject.symbols.function(row.function);
    sheet.add({share(static_cast<double>(row.calls.flops), whole), row.calls.flops, row.calls.calls,
               row.work.empty() ? Cell() : Cell(row.work.ns), row.flops_per_s ? Cell(*row.flops_per_s) : Cell(),
               row.peak_share ? Cell(*row.peak_share) : Cell(),
               Cell(std::string(row.precision ? fold::to_string(*row.precision) : "")), Cell(function.name),
               Cell(function.module), Cell(place_name(subject.symbols, row.location, options.wide))});
  }
  sheet.notes = left_out(shown, rows.size(), "call sites");
  return sheet;
}

extern const View kFlopsView{.name = "flops",
                             .help = "floating point operations by place",
                             .topic = Topic::Gpu,
                             .available = any_process<[](const model::Process& p) { return model::saw_cuda(p); }>,
                             .sheets = one_sheet<flops_view>};

}  // namespace prof::show
