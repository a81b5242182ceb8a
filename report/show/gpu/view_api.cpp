#include <fmt/format.h>

#include <algorithm>

#include "report/fold/gpu/gpu.hpp"
#include "report/fold/line_tree.hpp"
#include "report/show/captions.hpp"
#include "report/show/gpu/gpu_errors.hpp"
#include "report/show/gpu/gpu_words.hpp"
#include "report/show/numbers.hpp"
#include "report/show/time_columns.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::ApiRow;

constexpr std::size_t kUsualRows = 25;

double sort_value(const ApiRow& row, SortKey key) {
  switch (key) {
    case SortKey::Calls:
      return static_cast<double>(row.calls.calls);
    case SortKey::Bytes:
      return static_cast<double>(row.calls.bytes);
    case SortKey::Flops:
      return static_cast<double>(row.calls.flops);
    case SortKey::Average:
      return static_cast<double>(row.calls.ns) / static_cast<double>(std::max<std::int64_t>(1, row.calls.calls));
    default:
      return static_cast<double>(row.calls.ns);
  }
}

}  // namespace

Sheet api_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree tree = fold::line_tree(subject.run, subject.symbols, subject.selection);
  std::vector<ApiRow> rows = fold::api_calls(subject.run, tree, subject.selection);
  const auto function = [&](const ApiRow& row) -> const symbols::Function& {
    return subject.symbols.function(row.function);
  };
  const SortKey key = options.sort.value_or(SortKey::Total);
  std::stable_sort(rows.begin(), rows.end(), [&](const ApiRow& a, const ApiRow& b) {
    if (key == SortKey::Name) return function(a).name < function(b).name;
    return sort_value(a, key) > sort_value(b, key);
  });
  model::ApiMetric all;
  for (const ApiRow& row : rows) all += row.calls;
  const auto whole = static_cast<double>(all.ns);

  Sheet sheet;
  sheet.title = "Calls of CUDA and of libraries above it";
  if (const auto why = why_no_cuda(subject)) {
    sheet.captions.push_back(*why);
  } else {
    sheet.captions.push_back(
        fmt::format("Exact: {} of {} on the host. Only the outermost call of a thread is counted: what a library calls "
                    "meanwhile is its own.{}",
                    counted(all.calls, "call", "calls"), duration(whole),
                    all.bytes > 0 ? " bytes: that the arguments ask to copy, set, allocate or send." : ""));
  }
  for (std::string& caption : gpu_captions(subject, options)) sheet.captions.push_back(std::move(caption));
  sheet.columns = time_columns(
      "calls", std::any_of(rows.begin(), rows.end(), [](const ApiRow& row) { return row.median_ns.has_value(); }));
  const bool failures = all.failed > 0;
  sheet.columns.insert(
      sheet.columns.end(),
      {{"bytes", "bytes", Kind::Bytes, "", all.bytes > 0 ? Where::Everywhere : Where::CsvOnly},
       {"flops", "flops", Kind::Flops, "", all.flops > 0 ? Where::Everywhere : Where::CsvOnly},
       {"failed", "failed", Kind::Count, "", failures ? Where::Everywhere : Where::CsvOnly},
       {"name", "function", Kind::Text, "", Where::Everywhere, !options.wide},
       {"library", "library", Kind::Text},
       {"error", "last error", Kind::Text, "", failures ? Where::Everywhere : Where::CsvOnly, !options.wide}});
  const std::size_t shown = options.rows_of(rows.size(), kUsualRows);
  for (std::size_t i = 0; i < shown; ++i) {
    const ApiRow& row = rows[i];
    std::vector<Cell> cells =
        time_cells(row.calls.ns, row.calls.calls, row.calls.calls, row.calls.each, row.median_ns, whole);
    const std::string error =
        row.calls.failed > 0 ? error_name(function(row).module, row.calls.last_error) : std::string();
    cells.insert(cells.end(), {row.calls.bytes, row.calls.flops, row.calls.failed, Cell(function(row).name),
                               Cell(function(row).module), Cell(error)});
    sheet.add(std::move(cells));
  }
  sheet.notes = left_out(shown, rows.size(), "functions");
  return sheet;
}

extern const View kApiView{.name = "api",
                           .help = "calls of CUDA and of the libraries above it",
                           .topic = Topic::Gpu,
                           .available = any_process<[](const model::Process& p) { return model::saw_cuda(p); }>,
                           .sheets = one_sheet<api_view>};

}  // namespace prof::show
