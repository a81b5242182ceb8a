#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/show/captions.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/python/exact_text.hpp"
#include "report/show/python/python_figures.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::FunctionHits;

constexpr std::size_t kUsualHitFunctions = 10;

void sort_functions(std::vector<FunctionHits>& functions, SortKey key) {
  std::stable_sort(functions.begin(), functions.end(), [key](const FunctionHits& a, const FunctionHits& b) {
    if (key == SortKey::Name) return std::pair(a.file, a.first_line) < std::pair(b.file, b.first_line);
    return a.ns > b.ns;
  });
}

double per_hit(const model::LineMetric& metric) {
  return metric.hits > 0 ? static_cast<double>(metric.ns) / static_cast<double>(metric.hits) : 0;
}

Sheet function_sheet(const FunctionHits& function, const ViewOptions& options, symbols::SourceFiles& files) {
  Sheet sheet;
  sheet.title = fmt::format("{} ({}:{})", function.name, options.wide ? function.file : short_file(function.file),
                            function.first_line);
  const Figures<HitRow> figures = hit_figures(files, options);
  sheet.columns = columns_of(figures);
  const symbols::SourceFile& source = files.file(function.file);
  sheet.captions.push_back(fmt::format("Total time: {}. File: {}.", duration(static_cast<double>(function.ns)),
                                       function.file.empty() ? "not known" : function.file));
  if (!source.readable) sheet.captions.push_back("The file cannot be read here: only lines with hits are shown.");
  if (source.newer) sheet.captions.push_back("The file was changed after the run began: lines may have moved.");

  std::map<std::uint32_t, const model::LineMetric*> hits;
  for (const fold::LineHits& line : function.lines) hits[line.line] = &line.metric;
  const bool has_def = !function.name.empty() && function.name.back() != '>';
  if (source.readable && has_def && !options.everything) {
    const std::uint32_t last = symbols::last_line_of_function(source.lines, function.first_line, hits.rbegin()->first);
    for (std::uint32_t line = std::max(1U, function.first_line); line <= last; ++line) hits.try_emplace(line, nullptr);
  }
  for (const auto& [line, metric] : hits) sheet.add(cells_of(figures, HitRow{&function, line, metric}));
  return sheet;
}

}  // namespace

Figures<HitRow> hit_figures(symbols::SourceFiles& files, const ViewOptions& options) {
  const auto of = [](Cell (*value)(const FunctionHits&, const model::LineMetric&)) {
    return [value](auto& row) { return row.metric != nullptr ? value(*row.function, *row.metric) : std::string(); };
  };
  return {{data("file", "file", Kind::Text), [](auto& row) { return row.function->file; }},
          {data("function", "function", Kind::Text), [](auto& row) { return row.function->name; }},
          {data("function_line", "function line", Kind::Plain), [](auto& row) { return row.function->first_line; }},
          {{"line", "Line #", Kind::Plain}, &HitRow::line},
          {{"hits", "Hits", Kind::Count},
           of([](const FunctionHits&, const model::LineMetric& metric) { return Cell(metric.hits); })},
          {{"time_ns", "Time", Kind::Time},
           of([](const FunctionHits&, const model::LineMetric& metric) { return Cell(metric.ns); })},
          {{"time_per_hit_ns", "Per Hit", Kind::EachTime},
           of([](const FunctionHits&, const model::LineMetric& metric) { return Cell(per_hit(metric)); }),
           kNotInJson},
          {{"time_share", "% Time", Kind::Share, "", Where::TableOnly},
           of([](const FunctionHits& function, const model::LineMetric& metric) {
             return share(static_cast<double>(metric.ns), static_cast<double>(function.ns));
           })},
          {{"source", "Line Contents", Kind::Text, "", Where::Everywhere, !options.wide},
           [&files](auto& row) { return files.line(row.function->file, row.line); },
           kNotInJson}};
}

// Exact lines: a table for each function, as line_profiler prints them; with a focus, functions by that name.
static std::vector<Sheet> line_hits_view(const Subject& subject, const ViewOptions& options) {
  std::vector<FunctionHits> functions = fold::line_hits(subject.run, subject.selection);
  const bool any = !functions.empty();
  const NameOrFile focus(options.focus);
  functions.erase(std::remove_if(functions.begin(), functions.end(),
                                 [&](const FunctionHits& f) { return !focus.matches(f.name, f.file); }),
                  functions.end());
  sort_functions(functions, options.sort.value_or(SortKey::Tottime));

  symbols::SourceFiles files(subject.run, options.source_allowed);
  std::vector<Sheet> sheets;
  const std::size_t shown = options.rows_of(functions.size(), kUsualHitFunctions);
  for (std::size_t i = 0; i < shown; ++i) sheets.push_back(function_sheet(functions[i], options, files));
  if (sheets.empty()) {
    Sheet& nothing = sheets.emplace_back();
    nothing.title = "Line hits";
    nothing.columns = columns_of(hit_figures(files, options));
    nothing.captions.push_back(
        any ? "No function whose lines were counted is left."
            : "No lines were counted. To count them: prof run --python lines -- COMMAND (files below the working "
              "directory), or --python lines:PATTERN.");
  }
  std::vector<std::string> captions = exact_captions(subject, options);
  if (any) {
    captions.insert(captions.begin(),
                    "Exact. Hits: how often the line began; Time: wall time until the next line, what it called "
                    "included.");
  }
  std::vector<std::string>& first = sheets.front().captions;
  first.insert(first.begin(), captions.begin(), captions.end());
  for (std::string& note : left_out(shown, functions.size(), "functions")) {
    sheets.back().notes.push_back(std::move(note));
  }
  return sheets;
}

extern const View kLineHitsView{.name = "line-hits",
                                .help = "exact hits and time of lines, as line_profiler shows them",
                                .topic = Topic::Python,
                                .available = any_process<[](const model::Process& p) { return !p.tree.lines.empty(); }>,
                                .sheets = line_hits_view,
                                .own_focus = true,
                                .sorts = {SortKey::Tottime, SortKey::Name}};

}  // namespace prof::show
