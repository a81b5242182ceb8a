#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/fold/time/lines.hpp"
#include "report/show/captions.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/time/line_memory.hpp"
#include "report/show/time/source_files.hpp"
#include "report/show/time/source_focus.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::SourceLine;

struct Range {
  std::uint32_t first = 1, last = 0;
};

// Never beyond the file's end.
Range range_of(const SourceFocus& focus, const SourceFile& file) {
  const auto count = static_cast<std::uint32_t>(file.lines.size());
  if (focus.function.empty()) return {1, count};
  if (focus.has_def) return {focus.first, last_line_of_function(file.lines, focus.first, focus.known)};
  return {focus.first, std::min(count, focus.function == "<module>" ? count : std::max(focus.first, focus.known))};
}

std::string state_of(const SourceFile& file, std::uint32_t last_known) {
  if (!file.readable) return "The file cannot be read here: only lines that were seen are shown.";
  if (file.lines.size() < last_known) {
    return fmt::format("The file has only {} lines now, but line {} was seen: it is not what ran.", file.lines.size(),
                       last_known);
  }
  return file.newer ? "The file was changed after the run began: lines may have moved." : std::string();
}

}  // namespace

Sheet source_view(const Subject& subject, const ViewOptions& options) {
  const fold::Lines lines = fold::lines(subject.run, subject.symbols, subject.selection);
  const SourceFocus focus = source_focus(subject, lines, options.focus);
  SourceFiles files(subject.run);
  const SourceFile& file = files.file(focus.file);

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
  const bool memory_first = memory && options.sort && by_memory(*options.sort);
  const Where of_time = memory_first ? Where::CsvOnly : Where::Everywhere;
  const Where of_gpu = lines.device_known && !memory_first ? Where::Everywhere : Where::CsvOnly;
  if (lines.device_known) {
    sheet.captions.emplace_back("GPU: time on GPUs of what the line launched; cum: of all that it called.");
  }
  const bool blocked = lines.total_wait.blocked_ns() > 0 && !memory_first;
  const Where of_waits = blocked ? Where::Everywhere : Where::CsvOnly;
  if (blocked) {
    sheet.captions.emplace_back(
        "blocked: in blocking calls of the line, or of native code that it called, without the CPU time in them; cum: "
        "the line was anywhere on the stack.");
  }
  const bool copied = lines.copies_known && (options.memory_columns || memory_first);
  if (memory_first) sheet.captions = {line_memory_caption()};
  if (memory) {
    sheet.captions.push_back(
        fmt::format("allocated: by malloc and its family below the line: {}.", heap_sampling(subject)));
  }
  if (const std::string state = state_of(file, last_known); !state.empty()) sheet.captions.push_back(state);
  for (std::string& caption : loss_captions(subject.run)) sheet.captions.push_back(std::move(caption));

  sheet.columns = {{"file", "file", Kind::Text, "", Where::CsvOnly},
                   {"line", "line", Kind::Plain},
                   {"cpu_python_ns", "python", Kind::Time, "", of_time},
                   {"cpu_native_ns", "native", Kind::Time, "", of_time},
                   {"own_share", "%", Kind::Share, "of all", memory_first ? Where::CsvOnly : Where::TableOnly},
                   {"cumtime_ns", "cumtime", Kind::Time, "", of_time},
                   {"blocked_ns", "blocked", Kind::Time, "", of_waits},
                   {"cumblocked_ns", "cum blocked", Kind::Time, "", of_waits},
                   {"gpu_ns", "GPU", Kind::Time, "", of_gpu},
                   {"cum_gpu_ns", "cum GPU", Kind::Time, "", of_gpu},
                   {"allocated_bytes", "allocated", Kind::Bytes, "", memory ? Where::Everywhere : Where::CsvOnly},
                   {"copied_bytes", "copied", Kind::Bytes, "", copied ? Where::Everywhere : Where::CsvOnly},
                   {"source", "source", Kind::Text, "", Where::Everywhere, !options.wide}};
  const std::vector<Column> memory_columns = line_memory_columns(memory_first, lines);
  sheet.columns.insert(sheet.columns.begin() + 2, memory_columns.begin(), memory_columns.end());
  const auto add = [&](std::uint32_t number, const SourceLine* row, std::string text) {
    const Cell blank = options.everything ? Cell() : Cell(std::string());
    const auto amount = [&](std::int64_t value) {
      return value != 0 || (options.everything && row != nullptr) ? Cell(value) : blank;
    };
    const SourceLine nothing;
    const SourceLine& figures = row != nullptr ? *row : nothing;
    const Cell part = figures.own_ns() != 0 ? share(static_cast<double>(figures.own_ns()), whole) : blank;
    std::vector<Cell> cells{Cell(focus.file),
                            std::int64_t{number},
                            amount(figures.python_ns),
                            amount(figures.native_ns),
                            part,
                            amount(figures.cumulative_ns),
                            lines.waits_known ? amount(figures.wait.blocked_ns()) : blank,
                            lines.waits_known ? amount(figures.cum_wait.blocked_ns()) : blank,
                            lines.device_known ? amount(figures.gpu_ns) : blank,
                            lines.device_known ? amount(figures.cum_gpu_ns) : blank,
                            memory ? amount(figures.memory.bytes) : blank,
                            lines.copies_known ? amount(figures.copied_bytes) : blank,
                            Cell(std::move(text))};
    std::vector<Cell> levels = line_memory_cells(figures, lines, memory);
    for (Cell& cell : levels) {
      const auto* value = std::get_if<std::int64_t>(&cell);
      cell = value != nullptr ? amount(*value) : blank;
    }
    cells.insert(cells.begin() + 2, levels.begin(), levels.end());
    const bool did = memory_first ? figures.memory.bytes != 0 : figures.own_ns() != 0 || figures.wait.blocked_ns() != 0;
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
    if (!shown && wanted) add(number, row, "(not in the file)");
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
    .with = "--focus FILE.py"};

}  // namespace prof::show
