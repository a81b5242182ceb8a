#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/show/captions.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/time/line_figures.hpp"
#include "report/show/time/source_focus.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::show {
namespace {

using fold::SourceLine;

struct Range {
  std::uint32_t first = 1, last = 0;
};

// Never beyond the file's end.
Range range_of(const SourceFocus& focus, const symbols::SourceFile& file) {
  const auto count = static_cast<std::uint32_t>(file.lines.size());
  if (focus.function.empty()) return {1, count};
  if (focus.has_def) return {focus.first, symbols::last_line_of_function(file.lines, focus.first, focus.known)};
  return {focus.first, std::min(count, focus.function == "<module>" ? count : std::max(focus.first, focus.known))};
}

std::string state_of(const symbols::SourceFile& file, std::uint32_t last_known) {
  if (!file.readable) return "The file cannot be read here: only lines that were seen are shown.";
  if (file.lines.size() < last_known) {
    return fmt::format("The file has only {} lines now, but line {} was seen: it is not what ran.", file.lines.size(),
                       last_known);
  }
  return file.newer ? "The file was changed after the run began: lines may have moved." : std::string();
}

Figures<SourceLine> figures_here(const Subject& subject, const fold::Lines& lines, const ViewOptions& options) {
  return pick(line_figures(subject, lines, options), {{"peak_bytes"},
                                                      {"live_bytes"},
                                                      {"allocations"},
                                                      {"temporary"},
                                                      {"python_peak_bytes"},
                                                      {"python_live_bytes"},
                                                      {"cum_peak_bytes"},
                                                      {"cum_live_bytes"},
                                                      {"cum_allocated_bytes"},
                                                      {"cpu_python_ns"},
                                                      {"cpu_native_ns"},
                                                      {"own_share"},
                                                      {"cumtime_ns"},
                                                      {"blocked_ns"},
                                                      {"cumblocked_ns"},
                                                      {"gpu_ns"},
                                                      {"cum_gpu_ns"},
                                                      {"allocated_bytes", heap_recorded(subject)},
                                                      {"copied_bytes"}});
}

}  // namespace

// The source of the file or function that options.focus names, each line with its figures. Throws NoSuchFocus.
static Sheet source_view(const Subject& subject, const ViewOptions& options) {
  const fold::Lines& lines = line_rows(subject);
  const SourceFocus focus = source_focus(subject, lines, options.focus);
  symbols::SourceFiles files(subject.run, options.source_allowed);
  const symbols::SourceFile& file = files.file(focus.file);

  std::map<std::uint32_t, const SourceLine*> rows;
  for (const SourceLine& row : lines.rows) {
    if (row.file == focus.file) rows.try_emplace(row.line, &row);
  }
  const std::uint32_t last_known = rows.empty() ? 0 : rows.rbegin()->first;
  const Range range = range_of(focus, file);

  Sheet sheet;
  sheet.title =
      focus.function.empty() ? focus.file : fmt::format("{} ({}:{})", focus.function, focus.file, focus.first);
  sheet.one_time_unit = true;
  const auto whole = static_cast<double>(lines.total_ns);
  sheet.captions.push_back(
      fmt::format("{}; % is of {}. python: the line itself ran; native: native code below it did, the interpreter's "
                  "own functions included; cumtime: the line was anywhere on the stack; %: python and native.",
                  cpu_sampling(subject), duration(whole)));
  const bool memory = heap_recorded(subject);
  const bool of_memory = memory_first(subject, options);
  if (lines.device_known) {
    sheet.captions.emplace_back("GPU: time on GPUs of what the line launched; cum: of all that it called.");
  }
  const bool blocked = lines.total_wait.blocked_ns() > 0 && !of_memory;
  if (blocked) {
    sheet.captions.emplace_back(
        "blocked: in blocking calls of the line, or of native code that it called, without the CPU time in them; cum: "
        "the line was anywhere on the stack.");
  }
  if (of_memory) sheet.captions = {line_memory_caption()};
  if (memory) {
    sheet.captions.push_back(
        fmt::format("allocated: by malloc and its family below the line: {}.", heap_sampling(subject)));
  }
  if (const std::string state = state_of(file, last_known); !state.empty()) sheet.captions.push_back(state);
  for (std::string& caption : loss_captions(subject.run)) sheet.captions.push_back(std::move(caption));

  const Figures<SourceLine> figures = figures_here(subject, lines, options);
  sheet.columns = columns_of(figures);
  sheet.columns.insert(sheet.columns.begin(),
                       {{"file", "file", Kind::Text, "", Where::DataOnly}, {"line", "line", Kind::Plain}});
  sheet.columns.push_back({"source", "source", Kind::Text, "", Where::Everywhere, !options.wide});
  // What is 0 is not shown: most lines have nothing.
  const Cell blank = options.everything ? Cell() : Cell(std::string());
  const auto add = [&](std::uint32_t number, const SourceLine* row, std::string text) {
    const SourceLine nothing;
    const SourceLine& line = row != nullptr ? *row : nothing;
    const bool zeros = options.everything && row != nullptr;
    std::vector<Cell> cells{Cell(focus.file), std::int64_t{number}};
    for (const Cell& cell : cells_of(figures, line)) {
      const auto* amount = std::get_if<std::int64_t>(&cell);
      const bool shown = amount != nullptr ? *amount != 0 || zeros : line.own_ns() != 0;
      cells.push_back(shown && cell != Cell() ? cell : blank);
    }
    cells.emplace_back(std::move(text));
    const bool did = of_memory ? line.memory.bytes != 0 : line.own_ns() != 0 || line.wait.blocked_ns() != 0;
    sheet.add(std::move(cells), did ? Emphasis::Strong : Emphasis::None);
  };
  const auto row_at = [&](std::uint32_t number) {
    const auto found = rows.find(number);
    return found == rows.end() ? nullptr : found->second;
  };
  for (std::uint32_t number = range.first; number <= range.last; ++number) {
    if (file.readable) add(number, row_at(number), files.line(focus.file, number));
  }
  for (const auto& [number, row] : rows) {
    const bool shown = file.readable && number >= range.first && number <= range.last;
    const bool wanted = focus.function.empty() || subject.symbols.function(row->function).name == focus.function;
    if (!shown && wanted) add(number, row, file.readable ? "(not in the file)" : "(the file was not found)");
  }
  if (rows.empty()) sheet.notes.push_back("No sample met a line of it.");
  return sheet;
}

extern const View kSourceView{
    .name = "source",
    .help = "one file or function, each line with its figures",
    .topic = Topic::Python,
    .available = any_process<[](const model::Process& p) { return p.python && p.python->frames; }>,
    .sheets = one_sheet<source_view>,
    .own_focus = true,
    .with = "--focus FILE.py",
    .sorts = kMemoryKeys};

}  // namespace prof::show
