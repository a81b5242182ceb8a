#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/fold/time/library_loading.hpp"
#include "report/model/text.hpp"
#include "report/show/captions.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/python/python_figures.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::ImportRow;

constexpr std::size_t kUsualImports = 60;
constexpr std::size_t kUsualLibraries = 15;
constexpr std::size_t kIndent = 2;

bool as_tree(const ViewOptions& options) { return !options.sort.has_value(); }

void sort_rows(std::vector<ImportRow>& rows, SortKey key) {
  std::stable_sort(rows.begin(), rows.end(), [key](const ImportRow& a, const ImportRow& b) {
    if (key == SortKey::Name) return a.import->name < b.import->name;
    if (key == SortKey::Cumtime) return a.import->total_ns > b.import->total_ns;
    return a.import->self_ns() > b.import->self_ns();
  });
}

const model::Thread* thread_of(const model::Process& process, std::uint32_t slot) {
  const auto found = std::find_if(process.threads.begin(), process.threads.end(),
                                  [slot](const model::Thread& thread) { return thread.slot == slot; });
  return found == process.threads.end() ? nullptr : &*found;
}

std::uint64_t whole_of(const std::vector<ImportRow>& rows) {
  std::uint64_t whole = 0;
  for (const ImportRow& row : rows) {
    if (row.depth == 0) whole = model::saturated_sum(whole, row.import->total_ns);
  }
  return whole;
}

Sheet imports_sheet(const Subject& subject, const ViewOptions& options) {
  std::vector<ImportRow> rows = fold::imports(subject.run, subject.selection);
  const std::uint64_t whole = whole_of(rows);
  const Figures<ImportRow> figures = import_figures(subject, rows, options);
  std::set<std::size_t> processes;
  for (const ImportRow& row : rows) processes.insert(row.process);

  Sheet sheet;
  sheet.title = "Imports";
  sheet.one_time_unit = true;
  if (rows.empty()) {
    sheet.captions.push_back("No import was recorded: no Python program, or its recording was off (--python off).");
  } else {
    sheet.captions.push_back(
        fmt::format("Exact wall time of {} that loaded a module, in {}; % is of {}. self: without the imports below "
                    "it; cumulative: "
                    "with them.",
                    counted(static_cast<std::int64_t>(rows.size()), "import", "imports"),
                    counted(static_cast<std::int64_t>(processes.size()), "process", "processes"),
                    duration(static_cast<double>(whole))));
  }

  // A module takes at least what each module below it took, so what is left of a branch is whole.
  const double floor = options.everything ? 0 : options.min_percent / 100 * static_cast<double>(whole);
  const std::size_t all = rows.size();
  if (as_tree(options)) {
    std::erase_if(rows, [&](const ImportRow& row) { return static_cast<double>(row.import->total_ns) < floor; });
  } else {
    sort_rows(rows, *options.sort);
  }
  const std::size_t kept = rows.size();
  const std::size_t shown = options.rows_of(kept, kUsualImports);
  fill(sheet, figures, rows, shown);
  if (kept < all) {
    sheet.notes.push_back(fmt::format("{} below {} % of all left out; --min-percent 0 shows them.",
                                      counted(static_cast<std::int64_t>(all - kept), "import", "imports"),
                                      options.min_percent));
  }
  for (std::string& note : left_out(shown, kept, "imports")) sheet.notes.push_back(std::move(note));
  if (!rows.empty() && as_tree(options)) {
    sheet.notes.push_back("In the order of their starts; --sort tottime and --sort cumtime make flat lists.");
  }
  return sheet;
}

std::string time_or_none(std::int64_t ns) { return ns == 0 ? "none" : duration(static_cast<double>(ns)); }

Figures<fold::LoadedLibrary> constructor_figures(double whole, bool wide) {
  return {{{"constructors_ns", "cpu", Kind::Time}, &fold::LoadedLibrary::constructors},
          {{"share", "%", Kind::Share, "of all", Where::TableOnly},
           [whole](auto& library) { return share(static_cast<double>(library.constructors), whole); }},
          {{"samples", "samples", Kind::Count}, &fold::LoadedLibrary::samples},
          {{"module", "library", Kind::Text, "", Where::Everywhere, !wide},
           [wide](auto& library) { return wide ? library.module : std::string(base_name(library.module)); }}};
}

Sheet libraries_sheet(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree& tree = any_tree(subject);
  const fold::Loading loading = fold::loading(tree);
  const auto whole = static_cast<double>(tree.total().cpu.ns);
  std::int64_t constructors = 0;
  for (const fold::LoadedLibrary& library : loading.libraries) {
    constructors = model::saturated_sum(constructors, library.constructors);
  }

  Sheet sheet;
  sheet.title = "Shared libraries: CPU time of their constructors";
  sheet.captions.push_back(fmt::format(
      "{}; % is of {}. In the dynamic loader itself {}, in constructors (what the loader calls in a library "
      "as it loads it) {}.",
      cpu_sampling(subject), duration(whole), time_or_none(loading.loader_ns), time_or_none(constructors)));
  for (std::string& caption : filters(subject, options)) sheet.captions.push_back(std::move(caption));
  for (std::string& caption : loss_captions(subject.run)) sheet.captions.push_back(std::move(caption));
  std::vector<fold::LoadedLibrary> libraries = loading.libraries;
  std::erase_if(libraries, [](const fold::LoadedLibrary& library) { return library.constructors == 0; });
  const std::size_t shown = options.rows_of(libraries.size(), kUsualLibraries);
  fill(sheet, constructor_figures(whole, options.wide), libraries, shown);
  sheet.notes = left_out(shown, libraries.size(), "libraries");
  return sheet;
}

}  // namespace

Figures<ImportRow> import_figures(const Subject& subject, const std::vector<ImportRow>& rows,
                                  const ViewOptions& options) {
  const auto process = [&run = subject.run](const ImportRow& row) -> const model::Process& {
    return run.processes[row.process];
  };
  const auto thread = [=](auto& row) { return thread_of(process(row), row.import->slot); };
  const bool other_threads =
      std::any_of(rows.begin(), rows.end(), [&](auto& row) { return thread(row) != nullptr && !thread(row)->main; });
  const bool several =
      std::any_of(rows.begin(), rows.end(), [&](auto& row) { return row.process != rows.front().process; });
  const std::uint64_t origin = subject.run.processes.empty() ? 0 : subject.run.processes.front().start_monotonic_ns;
  const std::size_t indent = as_tree(options) ? kIndent : 0;
  return {{{"pid", "pid", Kind::Plain, "", shown_if(several)}, [=](auto& row) { return process(row).pid; }},
          {{"thread", "thread", Kind::Text, "", shown_if(other_threads)},
           [=](const ImportRow& row) {
             const model::Thread* of = thread(row);
             return of == nullptr ? std::string() : of->main ? "main" : of->display_name();
           },
           kNotInJson},
          {{"start_ns", "start", Kind::Time},
           [=](const ImportRow& row) {
             const std::uint64_t start = row.import->start_monotonic_ns;
             return known_if(start >= origin, model::to_signed(start - origin));
           }},
          {{"self_ns", "self", Kind::Time}, [](auto& row) { return model::to_signed(row.import->self_ns()); }},
          {{"total_ns", "cumulative", Kind::Time}, [](auto& row) { return model::to_signed(row.import->total_ns); }},
          {{"total_share", "%", Kind::Share, "of all", Where::TableOnly},
           [whole = static_cast<double>(whole_of(rows))](auto& row) {
             return share(static_cast<double>(row.import->total_ns), whole);
           }},
          {data("depth", "depth", Kind::Plain), &ImportRow::depth},
          {{"tree", "module", Kind::Text, "", Where::TableOnly, !options.wide},
           [=](auto& row) {
             return std::string(indent * row.depth, ' ') + row.import->name + (row.import->failed ? " (failed)" : "");
           }},
          {data("module", "module", Kind::Text), [](auto& row) { return row.import->name; }},
          {data("failed", "failed", Kind::Flag), [](auto& row) { return row.import->failed; }},
          {data("tid", "tid", Kind::Plain),
           [=](auto& row) { return known_if(thread(row) != nullptr, thread(row) ? thread(row)->tid : 0); }}};
}

// What imports took and, unless for other programs, what loading shared libraries took.
static std::vector<Sheet> imports_view(const Subject& subject, const ViewOptions& options) {
  std::vector<Sheet> sheets{imports_sheet(subject, options)};
  if (!options.everything) sheets.push_back(libraries_sheet(subject, options));
  return sheets;
}

extern const View kImportsView{.name = "imports",
                               .help = "what imports and the loading of libraries took",
                               .topic = Topic::Python,
                               .available = any_process<[](const model::Process& p) { return !p.imports.empty(); }>,
                               .sheets = imports_view,
                               .sorts = {SortKey::Tottime, SortKey::Cumtime, SortKey::Name},
                               .options = "--min-percent"};

}  // namespace prof::show
