#include <fmt/format.h>

#include <algorithm>

#include "report/fold/time/call_counts.hpp"
#include "report/fold/time/functions.hpp"
#include "report/show/captions.hpp"
#include "report/show/measure.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::FunctionRow;
using model::Measure;

// Memory is sorted by what a function and its callees hold: the function that calls malloc itself is seldom the answer.
void sort_rows(std::vector<FunctionRow>& rows, SortKey key, const symbols::Symbols& symbols) {
  const auto value = [&](const FunctionRow& row) {
    const bool self = key == SortKey::Tottime;
    return model::value_of(self ? row.self : row.cumulative, measure_of(key));
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const FunctionRow& a, const FunctionRow& b) {
    if (key == SortKey::Name) return symbols.function(a.function).name < symbols.function(b.function).name;
    return value(a) > value(b);
  });
}

using Counts = std::unordered_map<std::uint32_t, std::int64_t>;

void sort_by_calls(std::vector<FunctionRow>& rows, const Counts& calls) {
  const auto count = [&](const FunctionRow& row) {
    const auto found = calls.find(row.function);
    return found == calls.end() ? -1 : found->second;
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const FunctionRow& a, const FunctionRow& b) { return count(a) > count(b); });
}

bool is_special(const symbols::Symbols& symbols, const FunctionRow& row) {
  return symbols.function(row.function).special;
}

// Whether the rows are of both languages: only then it needs to be said of each.
bool mixed(const std::vector<FunctionRow>& rows, const symbols::Symbols& symbols) {
  const auto has = [&](symbols::Language language) {
    return std::any_of(rows.begin(), rows.end(), [&](const FunctionRow& row) {
      return symbols.function(row.function).language == language && !is_special(symbols, row);
    });
  };
  return has(symbols::Language::Python) && has(symbols::Language::Native);
}

void add_cpu_columns(Sheet& sheet, bool calls_known) {
  sheet.columns.push_back({"calls", "ncalls", Kind::Count, "", calls_known ? Where::Everywhere : Where::CsvOnly});
  sheet.columns.push_back({"tottime_ns", "tottime", Kind::Time});
  sheet.columns.push_back({"tottime_share", "%", Kind::Share, "of all", Where::TableOnly});
  sheet.columns.push_back({"cumtime_ns", "cumtime", Kind::Time});
  sheet.columns.push_back({"cumtime_share", "%", Kind::Share, "of all", Where::TableOnly});
  sheet.columns.push_back({"samples", "samples", Kind::Count, "", Where::CsvOnly});
  sheet.columns.push_back({"cum_samples", "cum samples", Kind::Count, "", Where::CsvOnly});
}

void add_cpu_cells(std::vector<Cell>& cells, const FunctionRow& row, const Counts& calls, const model::Metrics& all) {
  const auto whole = static_cast<double>(all.cpu.ns);
  const auto counted = calls.find(row.function);
  cells.insert(cells.end(), {counted == calls.end() ? Cell() : Cell(counted->second), row.self.cpu.ns,
                             share(static_cast<double>(row.self.cpu.ns), whole), row.cumulative.cpu.ns,
                             share(static_cast<double>(row.cumulative.cpu.ns), whole), row.self.cpu.samples,
                             row.cumulative.cpu.samples});
}

void add_gpu_columns(Sheet& sheet, bool in_table) {
  const Where where = in_table ? Where::Everywhere : Where::CsvOnly;
  sheet.columns.push_back({"gpu_ns", "GPU", Kind::Time, "", where});
  sheet.columns.push_back({"cum_gpu_ns", "cum GPU", Kind::Time, "", where});
}

void add_gpu_cells(std::vector<Cell>& cells, const FunctionRow& row, const fold::CallTree& tree) {
  cells.push_back(measured(row.self, Measure::GpuTime, tree));
  cells.push_back(measured(row.cumulative, Measure::GpuTime, tree));
}

// Only where anything was blocked.
bool blocked(const fold::CallTree& tree) { return tree.total().wait.blocked_ns() > 0; }

void add_wait_columns(Sheet& sheet, bool in_table) {
  const Where where = in_table ? Where::Everywhere : Where::CsvOnly;
  sheet.columns.push_back({"blocked_ns", "blocked", Kind::Time, "", where});
  sheet.columns.push_back({"cumblocked_ns", "cum blocked", Kind::Time, "", where});
}

void add_wait_cells(std::vector<Cell>& cells, const FunctionRow& row, const fold::CallTree& tree) {
  cells.push_back(measured(row.self, Measure::Blocked, tree));
  cells.push_back(measured(row.cumulative, Measure::Blocked, tree));
}

constexpr Measure kMemory[] = {Measure::Allocations, Measure::Allocated, Measure::Live, Measure::Peak,
                               Measure::Temporary};

void add_memory_columns(Sheet& sheet, bool in_table, bool self_in_table, bool exact) {
  const char* titles[] = {"allocs", "allocated", "live", "peak", "temporary"};
  const Where self = self_in_table ? Where::Everywhere : Where::CsvOnly;
  const Where cumulative = in_table ? Where::Everywhere : Where::CsvOnly;
  for (std::size_t i = 0; i < std::size(kMemory); ++i) {
    const MeasureWords& words = words_of(kMemory[i]);
    const bool shown = kMemory[i] != Measure::Temporary;
    sheet.columns.push_back(
        {words.self_key, std::string("self ") + titles[i], words.kind, "", shown ? self : Where::CsvOnly});
  }
  for (std::size_t i = 0; i < std::size(kMemory); ++i) {
    const MeasureWords& words = words_of(kMemory[i]);
    const bool shown = kMemory[i] == Measure::Allocations ? self_in_table
                       : kMemory[i] == Measure::Temporary ? self_in_table && exact
                                                          : true;
    sheet.columns.push_back({words.key, titles[i], words.kind, "", shown ? cumulative : Where::CsvOnly});
  }
}

void add_memory_cells(std::vector<Cell>& cells, const FunctionRow& row, bool known, const fold::CallTree& tree) {
  for (const Measure measure : kMemory) cells.push_back(known ? measured(row.self, measure, tree) : Cell());
  for (const Measure measure : kMemory) cells.push_back(known ? measured(row.cumulative, measure, tree) : Cell());
}

}  // namespace

Sheet functions_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree tree = fold::build_call_tree(subject.run, subject.symbols, subject.selection);
  std::vector<FunctionRow> rows = fold::functions(tree);
  if (options.language) {
    std::erase_if(rows, [&](const FunctionRow& row) {
      return subject.symbols.function(row.function).language != *options.language;
    });
  }
  const Counts calls = fold::call_counts(subject.run, subject.symbols, subject.selection);
  const SortKey key = options.sort.value_or(SortKey::Tottime);
  const bool memory_first = by_memory(key);
  sort_rows(rows, key, subject.symbols);
  if (key == SortKey::Calls) sort_by_calls(rows, calls);

  Sheet sheet;
  sheet.title = "Functions";
  sheet.captions.push_back(fmt::format(
      "{}; % is of {}. tottime: in the function itself; cumtime: with all it calls, recursion counted once.",
      cpu_sampling(subject), duration(static_cast<double>(tree.total().cpu.ns))));
  if (blocked(tree)) {
    sheet.captions.push_back(
        fmt::format("blocked: {} in all; in the call itself, and (cum) in all that a function called; CPU time and "
                    "blocked time are wall time.",
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

  sheet.columns.push_back({"function", "function", Kind::Text, "", Where::CsvOnly});
  add_cpu_columns(sheet, !calls.empty());
  add_wait_columns(sheet, blocked(tree));
  add_gpu_columns(sheet, tree.device_known());
  add_memory_columns(sheet, memory_shown, memory_first, tree.exact());
  const Where language = mixed(rows, subject.symbols) ? Where::Everywhere : Where::CsvOnly;
  sheet.columns.push_back({"language", "language", Kind::Text, "", language});
  sheet.columns.push_back({"name", "function", Kind::Text, "", Where::TableOnly, !options.wide});
  sheet.columns.push_back({"place", "where", Kind::Text, "", Where::TableOnly, !options.wide});
  sheet.columns.push_back({"file", "file", Kind::Text, "", Where::CsvOnly});
  sheet.columns.push_back({"line", "line", Kind::Plain, "", Where::CsvOnly});
  sheet.columns.push_back({"module", "module", Kind::Text, "", Where::CsvOnly});

  const std::size_t shown = options.rows_of(rows.size(), 20);
  for (std::size_t i = 0; i < shown; ++i) {
    const symbols::Function& function = subject.symbols.function(rows[i].function);
    std::vector<Cell> cells{Cell(function.name)};
    add_cpu_cells(cells, rows[i], calls, tree.total());
    add_wait_cells(cells, rows[i], tree);
    add_gpu_cells(cells, rows[i], tree);
    add_memory_cells(cells, rows[i], has_memory, tree);
    cells.insert(cells.end(),
                 {function.special ? Cell(std::string()) : Cell(std::string(symbols::to_string(function.language))),
                  Cell(label(function, options.wide)), Cell(place(function, options.wide)), Cell(function.file),
                  function.line == 0 ? Cell() : Cell(std::int64_t{function.line}), Cell(function.module)});
    sheet.add(std::move(cells), function.special ? Emphasis::Faint : Emphasis::None);
  }
  sheet.notes = left_out(shown, rows.size(), "functions");
  const auto internals = [&](const FunctionRow& row) {
    const symbols::Function& function = subject.symbols.function(row.function);
    return function.interpreter && subject.symbols.internals_function(function.module) == row.function;
  };
  if (std::any_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(shown), internals)) {
    sheet.notes.push_back(
        "(interpreter internals): functions that have no name in the interpreter's file. --glue shows their addresses, "
        "debug symbols of the interpreter their names.");
  }
  return sheet;
}

extern const View kFunctionsView{.name = "functions",
                                 .help = "functions by CPU time, with their memory, GPU and waiting",
                                 .topic = Topic::Time,
                                 .sheets = one_sheet<functions_view>};

}  // namespace prof::show
