#include <fmt/format.h>

#include <algorithm>

#include "report/fold/time/functions.hpp"
#include "report/model/text.hpp"
#include "report/show/captions.hpp"
#include "report/show/figures.hpp"
#include "report/show/measure.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::ModuleRow;

void sort_rows(std::vector<ModuleRow>& rows, SortKey key) {
  const auto value = [key](const ModuleRow& row) {
    if (by_memory(key)) return model::value_of(row.cumulative, measure_of(key));
    return key == SortKey::Cumtime ? row.cumulative.cpu.ns : row.self.cpu.ns;
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const ModuleRow& a, const ModuleRow& b) {
    return key == SortKey::Name ? a.module < b.module : value(a) > value(b);
  });
}

// Where the names of a module's functions came from. A path that was loaded with several contents has several reports.
std::string symbol_source(const symbols::Symbols& symbols, const std::string& path) {
  std::string out;
  for (const symbols::ModuleReport& report : symbols.modules()) {
    if (report.path != path || report.addresses == 0) continue;
    const char* source = symbols::to_string(report.source);
    if (out.find(source) != std::string::npos) continue;
    if (!out.empty()) out += ", ";
    out += source;
  }
  return out;
}

Figures<ModuleRow> library_figures(const Subject& subject, const fold::CallTree& tree, const ViewOptions& options) {
  const double whole = real(tree.total().cpu.ns);
  const Where roomy = shown_if(options.memory_columns);
  const auto memory = [&tree, known = heap_recorded(subject)](model::Measure measure) {
    return [=, &tree](auto& row) { return known ? measured(row.cumulative, measure, tree) : Cell(); };
  };
  return {{{"tottime_ns", "tottime", Kind::Time}, [](auto& row) { return row.self.cpu.ns; }},
          {{"tottime_share", "%", Kind::Share, "of all", Where::TableOnly},
           [=](auto& row) { return share(real(row.self.cpu.ns), whole); }},
          {{"cumtime_ns", "cumtime", Kind::Time}, [](auto& row) { return row.cumulative.cpu.ns; }},
          {{"cumtime_share", "%", Kind::Share, "of all", Where::TableOnly},
           [=](auto& row) { return share(real(row.cumulative.cpu.ns), whole); }},
          {{"cum_allocated_bytes", "allocated", Kind::Bytes, "", roomy}, memory(model::Measure::Allocated)},
          {{"cum_live_bytes", "live", Kind::Bytes, "", roomy}, memory(model::Measure::Live)},
          {{"cum_peak_bytes", "peak", Kind::Bytes}, memory(model::Measure::Peak)},
          {{"symbols", "symbols", Kind::Text},
           [&subject](auto& row) { return symbol_source(subject.symbols, row.module); }},
          {{"name", "module", Kind::Text, "", Where::TableOnly, !options.wide},
           [](auto& row) { return row.module.empty() ? std::string("(no module)") : row.module; }},
          {data("module", "module", Kind::Text), &ModuleRow::module}};
}

}  // namespace

// Shared libraries and programs, by the CPU time in their code.
static Sheet libraries_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree& tree = any_tree(subject);
  std::vector<ModuleRow> rows = fold::modules(tree);
  sort_rows(rows, options.sort.value_or(SortKey::Tottime));

  Sheet sheet;
  sheet.title = "Libraries: executables, shared libraries and source files of Python";
  sheet.captions.push_back(fmt::format("{}; % is of {}. Memory: by the module and all it calls, {}.",
                                       cpu_sampling(subject), duration(real(tree.total().cpu.ns)),
                                       heap_sampling(subject)));
  sheet.captions.push_back(
      "symbols: where names come from; dwarf has lines and inlined functions, symtab has names alone.");
  for (std::string& caption : filters(subject, options)) sheet.captions.push_back(std::move(caption));
  for (std::string& caption : loss_captions(subject.run)) sheet.captions.push_back(std::move(caption));

  const std::size_t shown = options.rows_of(rows.size(), 30);
  fill<ModuleRow>(sheet, library_figures(subject, tree, options), rows, shown,
                  [](auto& row) { return row.module.empty() ? Emphasis::Faint : Emphasis::None; });
  sheet.notes = left_out(shown, rows.size(), "libraries");

  std::uint64_t unresolved = 0;
  for (const symbols::ModuleReport& report : subject.symbols.modules()) unresolved += report.unresolved;
  if (unresolved > 0) {
    sheet.notes.push_back(fmt::format(
        "{} could not be named; install the modules' debug packages or point --symbol-path at their debug files.",
        counted(model::to_signed(unresolved), "address", "addresses")));
  }
  return sheet;
}

extern const View kLibrariesView{.name = "libraries",
                                 .help = "shared libraries by the CPU time in their code",
                                 .topic = Topic::Time,
                                 .sheets = one_sheet<libraries_view>,
                                 .sorts = kMemoryKeys | SortKeys{SortKey::Tottime, SortKey::Cumtime, SortKey::Name}};

}  // namespace prof::show
