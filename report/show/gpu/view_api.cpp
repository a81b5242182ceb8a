#include <fmt/format.h>

#include <algorithm>

#include "report/fold/line_tree.hpp"
#include "report/show/captions.hpp"
#include "report/show/gpu/gpu_errors.hpp"
#include "report/show/gpu/gpu_figures.hpp"
#include "report/show/gpu/gpu_text.hpp"
#include "report/show/numbers.hpp"
#include "report/show/time_figures.hpp"
#include "report/show/trees.hpp"
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

Figures<ApiRow> api_figures(const Subject& subject, const std::vector<ApiRow>& rows, const ViewOptions& options) {
  model::ApiMetric all;
  for (const ApiRow& row : rows) all += row.calls;
  const Where failures = shown_if(all.failed > 0);
  const auto function = [&subject](const ApiRow& row) -> const symbols::Function& {
    return subject.symbols.function(row.function);
  };
  Figures<ApiRow> out = time_figures<ApiRow>(
      "calls", std::any_of(rows.begin(), rows.end(), [](auto& row) { return row.median_ns.has_value(); }),
      static_cast<double>(all.ns), [](auto& row) {
        return Times{row.calls.ns, row.calls.calls, row.calls.calls, row.calls.each, row.median_ns};
      });
  append<ApiRow>(
      out, {{{"bytes", "bytes", Kind::Bytes, "", shown_if(all.bytes > 0)}, [](auto& row) { return row.calls.bytes; }},
            {{"flops", "flops", Kind::Flops, "", shown_if(all.flops > 0)}, [](auto& row) { return row.calls.flops; }},
            {{"failed", "failed", Kind::Count, "", failures}, [](auto& row) { return row.calls.failed; }},
            {{"name", "function", Kind::Text, "", Where::Everywhere, !options.wide},
             [function](auto& row) { return function(row).name; }},
            {{"library", "library", Kind::Text}, [function](auto& row) { return function(row).module; }},
            {{"last_error_name", "last error", Kind::Text, "", failures, !options.wide},
             [function](auto& row) {
               return row.calls.failed > 0 ? error_name(function(row).module, row.calls.last_error) : std::string();
             }},
            {data("last_error", "last error", Kind::Plain),
             [](auto& row) { return known_if(row.calls.failed > 0, row.calls.last_error); }}});
  return out;
}

// Calls of CUDA and of the libraries above it, by function.
static Sheet api_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree& tree = mixed_line_tree(subject);
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
  const std::size_t shown = options.rows_of(rows.size(), kUsualRows);
  fill(sheet, api_figures(subject, rows, options), rows, shown);
  sheet.notes = left_out(shown, rows.size(), "functions");
  return sheet;
}

extern const View kApiView{.name = "api",
                           .help = "calls of CUDA and of the libraries above it",
                           .topic = Topic::Gpu,
                           .available = any_process<[](const model::Process& p) { return model::saw_cuda(p); }>,
                           .sheets = one_sheet<api_view>,
                           .sorts = kCallKeys | SortKeys{SortKey::Bytes, SortKey::Flops}};

}  // namespace prof::show
