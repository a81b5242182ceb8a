#include <fmt/format.h>

#include <algorithm>

#include "report/fold/time/call_counts.hpp"
#include "report/show/captions.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/time/function_figures.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::FunctionRow;

// Only where anything was blocked.
bool blocked(const fold::CallTree& tree) { return tree.total().wait.blocked_ns() > 0; }

}  // namespace

static Sheet functions_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree& tree = any_tree(subject);
  const CallCounts calls = fold::call_counts(subject.run, subject.symbols, subject.selection);
  const SortKey key = options.sort.value_or(SortKey::Tottime);
  const bool memory_first = by_memory(key);
  const std::vector<FunctionRow> rows = functions_in_order(subject, calls, key, options);

  Sheet sheet;
  sheet.title = "Functions";
  sheet.captions.push_back(fmt::format(
      "{}; % is of {}. tottime: in the function itself; cumtime: with all it calls, recursion counted once.",
      cpu_sampling(subject), duration(static_cast<double>(tree.total().cpu.ns))));
  if (blocked(tree)) {
    sheet.captions.push_back(
        fmt::format("blocked: {} in all; in the call itself, and (cum) in all that a function called. What a thread "
                    "waits for a processor is in neither it nor CPU time.",
                    duration(static_cast<double>(tree.total().wait.blocked_ns()))));
  }
  if (tree.device_known()) {
    sheet.captions.push_back(fmt::format(
        "GPU: time on GPUs, {} in all; that of a kernel or copy itself, and (cum) of all that a function launched.",
        duration(static_cast<double>(tree.total().gpu.get().work.ns))));
  }
  const bool has_memory = heap_recorded(subject);
  const bool memory_shown = has_memory && (memory_first || options.memory_columns);
  if (memory_shown) {
    sheet.captions.push_back(
        fmt::format("Memory is that of malloc and its family by the function and all it calls{}: {}.",
                    memory_first ? ", self by the function alone" : "", heap_sampling(subject)));
  }
  for (std::string& caption : filters(subject, options)) sheet.captions.push_back(std::move(caption));
  for (std::string& caption : loss_captions(subject.run)) sheet.captions.push_back(std::move(caption));
  if (key == SortKey::Calls && calls.empty()) {
    sheet.captions.push_back(
        "Calls are not counted by sampling; ordered by cumtime. prof run --python calls counts those of Python.");
  }
  if (!calls.empty()) {
    sheet.captions.push_back("ncalls: exact, of Python functions; --view calls shows their wall time, too.");
  }
  if (options.language) {
    sheet.captions.push_back(fmt::format("Only {} functions.", symbols::to_string(*options.language)));
  }

  const Figures<FunctionRow> figures = function_figures(subject, tree, calls, rows, options);
  const std::size_t shown = options.rows_of(rows.size(), 20);
  sheet.columns = columns_of(figures);
  sheet.one_time_unit = true;
  for (std::size_t i = 0; i < shown; ++i) {
    const bool special = subject.symbols.function(rows[i].function).special;
    sheet.add(cells_of(figures, rows[i]), special ? Emphasis::Faint : Emphasis::None);
  }
  sheet.notes = left_out(shown, rows.size(), "functions");
  if (rows.empty() && !options.focus.empty()) {
    sheet.notes.push_back(fmt::format("No stack has a function that matches '{}'.", options.focus));
  }
  const auto internals = [&](const FunctionRow& row) {
    const symbols::Function& function = subject.symbols.function(row.function);
    return function.interpreter && subject.symbols.internals_function(function.module) == row.function;
  };
  if (std::any_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(shown), internals)) {
    sheet.notes.push_back(
        "(interpreter internals): functions that have no name in the interpreter's file. --interpreter-frames shows "
        "their addresses, "
        "debug symbols of the interpreter their names.");
  }
  return sheet;
}

extern const View kFunctionsView{
    .name = "functions",
    .help = "functions by CPU time, with their memory, GPU and waiting",
    .topic = Topic::Time,
    .sheets = one_sheet<functions_view>,
    .sorts = kMemoryKeys | SortKeys{SortKey::Tottime, SortKey::Cumtime, SortKey::Calls, SortKey::Gpu, SortKey::Blocked,
                                    SortKey::Wall, SortKey::Name},
    .options = "--language"};

}  // namespace prof::show
