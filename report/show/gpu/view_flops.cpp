#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/fold/line_tree.hpp"
#include "report/show/captions.hpp"
#include "report/show/gpu/gpu_figures.hpp"
#include "report/show/gpu/gpu_text.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/stack_text.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::FlopRow;

constexpr std::size_t kUsualProducts = 20;

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

// Whether any row has a time on GPUs, a precision, a share of the peak.
struct Any {
  bool timed = false, told = false, rated = false;
};
Any any_of(const std::vector<FlopRow>& rows) {
  Any any;
  for (const FlopRow& row : rows) {
    any.timed |= !row.work.empty();
    any.told |= row.precision.has_value();
    any.rated |= row.peak_share.has_value();
  }
  return any;
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

Figures<FlopRow> flop_figures(const Subject& subject, const fold::CallTree& tree, const std::vector<FlopRow>& rows,
                              const ViewOptions& options) {
  const auto [timed, told, rated] = any_of(rows);
  const auto function = [&subject](const FlopRow& row) -> const symbols::Function& {
    return subject.symbols.function(row.function);
  };
  return {
      {{"flops_share", "%", Kind::Share, "of all", Where::TableOnly},
       [whole = static_cast<double>(tree.total().gpu.get().api.flops)](auto& row) {
         return share(static_cast<double>(row.calls.flops), whole);
       }},
      {{"flops", "flops", Kind::Flops}, [](auto& row) { return row.calls.flops; }},
      {{"calls", "calls", Kind::Count}, [](auto& row) { return row.calls.calls; }},
      {{"gpu_ns", "GPU", Kind::Time, "", shown_if(timed)},
       [](auto& row) { return known_if(!row.work.empty(), row.work.ns); }},
      {{"flops_per_s", "speed", Kind::FlopRate, "", shown_if(timed)}, [](auto& row) { return maybe(row.flops_per_s); }},
      {{"peak_share", "%", Kind::Share, "of peak", shown_if(rated)}, [](auto& row) { return maybe(row.peak_share); }},
      {{"precision", "precision", Kind::Text, "", shown_if(told)},
       [](auto& row) { return std::string(row.precision ? fold::to_string(*row.precision) : ""); }},
      {{"name", "function", Kind::Text, "", Where::Everywhere, !options.wide},
       [function](auto& row) { return function(row).name; }},
      {data("library", "library", Kind::Text), [function](auto& row) { return function(row).module; }},
      {{"site", "called from", Kind::Text, "", Where::Everywhere, !options.wide},
       [&subject, wide = options.wide](auto& row) { return place_name(subject.symbols, row.location, wide); },
       kNotInJson}};
}

// Floating point operations by the place that asked a library for them.
static Sheet flops_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree& tree = mixed_line_tree(subject);
  std::vector<FlopRow> rows = fold::flops(subject.run, tree, subject.selection);
  const SortKey key = options.sort.value_or(SortKey::Flops);
  std::stable_sort(rows.begin(), rows.end(), [&](const FlopRow& a, const FlopRow& b) {
    if (key == SortKey::Name)
      return subject.symbols.function(a.function).name < subject.symbols.function(b.function).name;
    return sort_value(a, key) > sort_value(b, key);
  });
  const auto [timed, told, rated] = any_of(rows);

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
  const std::size_t shown = options.rows_of(rows.size(), kUsualProducts);
  fill(sheet, flop_figures(subject, tree, rows, options), rows, shown);
  sheet.notes = left_out(shown, rows.size(), "call sites");
  return sheet;
}

extern const View kFlopsView{.name = "flops",
                             .help = "floating point operations by place",
                             .topic = Topic::Gpu,
                             .available = any_process<[](const model::Process& p) { return model::saw_cuda(p); }>,
                             .sheets = one_sheet<flops_view>,
                             .sorts = kCallKeys | SortKeys{SortKey::Flops, SortKey::Gpu}};

}  // namespace prof::show
