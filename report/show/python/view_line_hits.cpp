#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/fold/python/line_hits.hpp"
#include "report/show/captions.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/python/exact_words.hpp"
#include "report/show/time/source_files.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::FunctionHits;

constexpr std::size_t kUsualFunctions = 10;

void sort_functions(std::vector<FunctionHits>& functions, SortKey key) {
  std::stable_sort(functions.begin(), functions.end(), [key](const FunctionHits& a, const FunctionHits& b) {
    if (key == SortKey::Name) return std::pair(a.file, a.first_line) < std::pair(b.file, b.first_line);
    return a.ns > b.ns;
  });
}

std::vector<Column> columns(const ViewOptions& options) {
  return {{"file", "file", Kind::Text, "", Where::CsvOnly},
          {"function", "function", Kind::Text, "", Where::CsvOnly},
          {"function_line", "function line", Kind::Plain, "", Where::CsvOnly},
          {"line", "Line #", Kind::Plain},
          {"hits", "Hits", Kind::Count},
          {"time_ns", "Time", Kind::Time},
          {"time_per_hit", "Per Hit", Kind::Count, "", Where::TableOnly},
          {"time_per_hit_ns", "Per Hit", Kind::Time, "", Where::CsvOnly},
          {"time_share", "% Time", Kind::Share, "", Where::TableOnly},
          {"source", "Line Contents", Kind::Text, "", Where::Everywhere, !options.wide}};
}

Sheet function_sheet(const FunctionHits& function, const ViewOptions& options, SourceFiles& files) {
  Sheet sheet;
  sheet.title = fmt::format("{} ({}:{})", function.name, options.wide ? function.file : short_file(function.file),
                            function.first_line);
  sheet.columns = columns(options);
  const SourceFile& source = files.file(function.file);
  sheet.captions.push_back(fmt::format("Total time: {}. File: {}.", duration(static_cast<double>(function.ns)),
                                       function.file.empty() ? "not known" : function.file));
  if (!source.readable) sheet.captions.push_back("The file cannot be read here: only lines with hits are shown.");
  if (source.newer) sheet.captions.push_back("The file was changed after the run began: lines may have moved.");

  std::map<std::uint32_t, const model::LineMetric*> hits;
  for (const fold::LineHits& line : function.lines) hits[line.line] = &line.metric;
  const bool has_def = !function.name.empty() && function.name.back() != '>';
  if (source.readable && has_def && !options.everything) {
    const std::uint32_t last = last_line_of_function(source.lines, function.first_line, hits.rbegin()->first);
    for (std::uint32_t line = std::max(1U, function.first_line); line <= last; ++line) hits.try_emplace(line, nullptr);
  }
  for (const auto& [line, metric] : hits) {
    const Cell blank = std::string();
    const std::string text = files.line(function.file, line);
    std::vector<Cell> cells{Cell(function.file), Cell(function.name), std::int64_t{function.first_line},
                            std::int64_t{line}};
    if (metric == nullptr) {
      cells.insert(cells.end(), {blank, blank, blank, blank, blank, Cell(text)});
    } else {
      const auto ns = static_cast<double>(metric->ns);
      const double per_hit = metric->hits > 0 ? ns / static_cast<double>(metric->hits) : 0;
      cells.insert(cells.end(), {metric->hits, metric->ns, Cell(duration(per_hit)), Cell(per_hit),
                                 share(ns, static_cast<double>(function.ns)), Cell(text)});
    }
    sheet.add(std::move(cells));
  }
  return sheet;
}

}  // namespace

std::vector<Sheet> line_hits_view(const Subject& subject, const ViewOptions& options) {
  std::vector<FunctionHits> functions = fold::line_hits(subject.run, subject.selection);
  const bool any = !functions.empty();
  const NameOrFile focus(options.focus);
  functions.erase(std::remove_if(functions.begin(), functions.end(),
                                 [&](const FunctionHits& f) { return !focus.matches(f.name, f.file); }),
                  functions.end());
  sort_functions(functions, options.sort.value_or(SortKey::Tottime));

  SourceFiles files(subject.run);
  std::vector<Sheet> sheets;
  const std::size_t shown = options.rows_of(functions.size(), kUsualFunctions);
  for (std::size_t i = 0; i < shown; ++i) sheets.push_back(function_sheet(functions[i], options, files));
  if (sheets.empty()) {
    Sheet& nothing = sheets.emplace_back();
    nothing.title = "Line hits";
    nothing.columns = columns(options);
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
                                .own_focus = true};

}  // namespace prof::show
