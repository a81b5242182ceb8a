#include "report/show/time/function_figures.hpp"

#include <algorithm>

#include "report/show/measure.hpp"
#include "report/show/names.hpp"
#include "report/show/processes.hpp"
#include "report/show/trees.hpp"

namespace prof::show {
namespace {

using fold::FunctionRow;
using model::Measure;
using model::Metrics;

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

Cell calls_of(const CallCounts& calls, const FunctionRow& row) {
  const auto found = calls.find(row.function);
  return found == calls.end() ? Cell() : Cell(found->second);
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

// A measure of functions themselves or, as `part`, of all that they called, too; by the names that it has in all views.
Figure<FunctionRow> figure(const fold::CallTree& tree, Metrics FunctionRow::*part, Measure measure, bool known,
                           std::string title, Where where, std::string_view json) {
  const MeasureNames& words = names_of(measure);
  const char* key = part == &FunctionRow::self ? words.self_key : words.key;
  return {{key, std::move(title), words.kind, "", where},
          [=, &tree](auto& row) { return known_if(known, measured(row.*part, measure, tree)); },
          json};
}

// JSON has those of a function in an object of their own.
Figures<FunctionRow> memory_figures(const Subject& subject, const fold::CallTree& tree, const ViewOptions& options) {
  constexpr Measure kMeasures[] = {Measure::Allocations, Measure::Allocated, Measure::Live, Measure::Peak,
                                   Measure::Temporary};
  constexpr const char* kTitles[] = {"allocs", "allocated", "live", "peak", "temporary"};
  const bool known = heap_recorded(subject), first = options.sort && by_memory(*options.sort),
             any = known && (first || options.memory_columns);
  Figures<FunctionRow> out;
  for (std::size_t i = 0; i < std::size(kMeasures); ++i) {
    const bool shown = any && first && kMeasures[i] != Measure::Temporary;
    out.push_back(figure(tree, &FunctionRow::self, kMeasures[i], known, std::string("self ") + kTitles[i],
                         shown_if(shown), kNotInJson));
  }
  for (std::size_t i = 0; i < std::size(kMeasures); ++i) {
    const bool shown = kMeasures[i] == Measure::Allocations ? first
                       : kMeasures[i] == Measure::Temporary ? first && tree.exact()
                                                            : true;
    out.push_back(
        figure(tree, &FunctionRow::cumulative, kMeasures[i], known, kTitles[i], shown_if(any && shown), kNotInJson));
  }
  return out;
}

}  // namespace

std::vector<FunctionRow> functions_in_order(const Subject& subject, const CallCounts& calls, SortKey key,
                                            const ViewOptions& options) {
  const symbols::Symbols& symbols = subject.symbols;
  std::vector<FunctionRow> rows = function_rows(subject);
  if (options.language) {
    std::erase_if(rows,
                  [&](const FunctionRow& row) { return symbols.function(row.function).language != *options.language; });
  }
  sort_rows(rows, key, symbols);
  if (key == SortKey::Calls) {  // what was not counted comes last
    std::stable_sort(rows.begin(), rows.end(), [&](const FunctionRow& a, const FunctionRow& b) {
      return calls_of(calls, a) > calls_of(calls, b);
    });
  }
  return rows;
}

Figures<FunctionRow> function_figures(const Subject& subject, const fold::CallTree& tree, const CallCounts& calls,
                                      const std::vector<FunctionRow>& rows, const ViewOptions& options) {
  const Where blocked = shown_if(tree.total().wait.blocked_ns() > 0), gpu = shown_if(tree.device_known());
  const bool cut = !options.wide;
  const auto function = [&symbols = subject.symbols](const FunctionRow& row) -> const symbols::Function& {
    return symbols.function(row.function);
  };
  const auto share_of = [whole = static_cast<double>(tree.total().cpu.ns)](Metrics FunctionRow::*part) {
    return [=](auto& row) { return share(static_cast<double>((row.*part).cpu.ns), whole); };
  };
  Figures<FunctionRow> out{
      {data("function", "function", Kind::Text), [=](auto& row) { return function(row).name; }, "name"},
      {{"calls", "ncalls", Kind::Count, "", shown_if(!calls.empty())},
       [&calls](auto& row) { return calls_of(calls, row); }},
      {{"tottime_ns", "tottime", Kind::Time}, [](auto& row) { return row.self.cpu.ns; }},
      {{"tottime_share", "%", Kind::Share, "of all", Where::TableOnly}, share_of(&FunctionRow::self)},
      {{"cumtime_ns", "cumtime", Kind::Time}, [](auto& row) { return row.cumulative.cpu.ns; }},
      {{"cumtime_share", "%", Kind::Share, "of all", Where::TableOnly}, share_of(&FunctionRow::cumulative)},
      {data("samples", "samples", Kind::Count), [](auto& row) { return row.self.cpu.samples; }},
      {data("cum_samples", "cum samples", Kind::Count), [](auto& row) { return row.cumulative.cpu.samples; }},
      figure(tree, &FunctionRow::self, Measure::Blocked, true, "blocked", blocked, {}),
      figure(tree, &FunctionRow::cumulative, Measure::Blocked, true, "cum blocked", blocked, {}),
      figure(tree, &FunctionRow::self, Measure::GpuTime, true, "GPU", gpu, {}),
      figure(tree, &FunctionRow::cumulative, Measure::GpuTime, true, "cum GPU", gpu, "cumgpu_s")};
  append(out, memory_figures(subject, tree, options));
  append<FunctionRow>(out,
                      {{{"language", "language", Kind::Text, "", shown_if(mixed(rows, subject.symbols))},
                        [=](auto& row) {
                          return function(row).special ? std::string() : std::string(to_string(function(row).language));
                        },
                        kNotInJson},
                       {{"name", "function", Kind::Text, "", Where::TableOnly, cut},
                        [=](auto& row) { return label(function(row), !cut); }},
                       {{"place", "where", Kind::Text, "", Where::TableOnly, cut},
                        [=](auto& row) { return place(function(row), !cut); }},
                       {data("file", "file", Kind::Text), [=](auto& row) { return function(row).file; }},
                       {data("line", "line", Kind::Plain),
                        [=](auto& row) { return known_if(function(row).line != 0, function(row).line); }},
                       {data("module", "module", Kind::Text), [=](auto& row) { return function(row).module; }},
                       {data("special", "special", Kind::Flag), [=](auto& row) { return function(row).special; }}});
  return out;
}

}  // namespace prof::show
