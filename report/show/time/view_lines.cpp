#include <fmt/format.h>

#include <algorithm>

#include "report/fold/time/lines.hpp"
#include "report/show/captions.hpp"
#include "report/show/commands.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/time/line_memory.hpp"
#include "report/show/time/source_files.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::SourceLine;
using symbols::Language;

constexpr std::size_t kUsualPython = 25;
constexpr std::size_t kUsualNative = 10;

std::int64_t value_of(const SourceLine& row, SortKey key) {
  switch (key) {
    case SortKey::Cumtime:
      return row.cumulative_ns;
    case SortKey::Gpu:
      return row.gpu_ns;
    case SortKey::Blocked:
      return row.wait.blocked_ns();
    case SortKey::Wall:
      return model::saturated_sum(row.own_ns(), row.wait.blocked_ns());
    case SortKey::Live:
    case SortKey::Leaks:
      return row.memory.live_bytes();
    case SortKey::Peak:
      return row.memory.peak_bytes;
    case SortKey::Allocated:
      return row.memory.bytes;
    case SortKey::Allocations:
      return row.memory.count_units;
    case SortKey::Temporary:
      return row.memory.temporary;
    default:
      return row.own_ns();
  }
}

void sort_lines(std::vector<SourceLine>& rows, SortKey key) {
  std::stable_sort(rows.begin(), rows.end(), [&](const SourceLine& a, const SourceLine& b) {
    if (key == SortKey::Name) return std::pair(a.file, a.line) < std::pair(b.file, b.line);
    return value_of(a, key) > value_of(b, key);
  });
}

const Column kShareOfTime{"own_share", "%", Kind::Share, "of all", Where::TableOnly};

Sheet lines_sheet(const Subject& subject, const ViewOptions& options, const fold::Lines& lines, Language language,
                  std::size_t usual, SourceFiles& files) {
  const bool python = language == Language::Python;
  const bool memory = heap_recorded(subject);
  const auto whole = static_cast<double>(lines.total_ns);

  Sheet sheet;
  sheet.title = python ? "Python lines" : "Native lines";
  sheet.one_time_unit = true;
  const bool cut = !options.wide;
  // Sorted by memory, the table is of memory; else of time.
  const bool memory_first = memory && options.sort && by_memory(*options.sort);
  const Where of_time = memory_first ? Where::CsvOnly : Where::Everywhere;
  const Where memory_where = memory && (options.memory_columns || memory_first) ? Where::Everywhere : Where::CsvOnly;
  const Where of_gpu = lines.device_known && !memory_first ? Where::Everywhere : Where::CsvOnly;
  const bool blocked = lines.total_wait.blocked_ns() > 0 && !memory_first;
  const Where of_waits = blocked ? Where::Everywhere : Where::CsvOnly;
  const auto waited = [&](const model::WaitMetric& wait) {
    return lines.waits_known ? Cell(wait.blocked_ns()) : Cell();
  };
  const auto gpu = [&](std::int64_t ns) { return lines.device_known ? Cell(ns) : Cell(); };
  const bool copied = lines.copies_known && (options.memory_columns || memory_first);
  const Where copied_where = copied ? Where::Everywhere : Where::CsvOnly;
  sheet.columns = {{"language", "language", Kind::Text, "", Where::CsvOnly},
                   {"cpu_python_ns", "python", Kind::Time, "", python ? of_time : Where::CsvOnly},
                   {"cpu_native_ns", python ? "native" : "tottime", Kind::Time, "", of_time},
                   {"cumtime_ns", "cumtime", Kind::Time, "", of_time},
                   {"samples", "samples", Kind::Count, "", Where::CsvOnly},
                   {"blocked_ns", "blocked", Kind::Time, "", of_waits},
                   {"cumblocked_ns", "cum blocked", Kind::Time, "", of_waits},
                   {"gpu_ns", "GPU", Kind::Time, "", of_gpu},
                   {"cum_gpu_ns", "cum GPU", Kind::Time, "", of_gpu},
                   {"gpu_idle_ns", "GPU idle", Kind::Time, "", Where::CsvOnly},
                   {"allocated_bytes", "allocated", Kind::Bytes, "", memory_where},
                   {"copied_bytes", "copied", Kind::Bytes, "", copied_where},
                   {"place", "where", Kind::Text, "", Where::TableOnly, cut},
                   {"name", "function", Kind::Text, "", Where::TableOnly, cut},
                   {"file", "file", Kind::Text, "", Where::CsvOnly},
                   {"line", "line", Kind::Plain, "", Where::CsvOnly},
                   {"function", "function", Kind::Text, "", Where::CsvOnly},
                   {"source", "source", Kind::Text, "", Where::Everywhere, cut}};
  if (!memory_first) sheet.columns.insert(sheet.columns.begin() + 3, kShareOfTime);
  const std::vector<Column> memory_columns = line_memory_columns(memory_first, lines);
  sheet.columns.insert(sheet.columns.begin() + 1, memory_columns.begin(), memory_columns.end());
  std::vector<const SourceLine*> chosen;
  for (const SourceLine& row : lines.rows) {
    if (row.language == language) chosen.push_back(&row);
  }
  const std::size_t shown = options.rows_of(chosen.size(), usual);
  for (std::size_t i = 0; i < shown; ++i) {
    const SourceLine& row = *chosen[i];
    const symbols::Function& function = subject.symbols.function(row.function);
    std::string text = files.line(row.file, row.line);
    text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
    std::vector<Cell> cells{Cell(std::string(to_string(row.language))),
                            row.python_ns,
                            row.native_ns,
                            row.cumulative_ns,
                            row.samples,
                            waited(row.wait),
                            waited(row.cum_wait),
                            gpu(row.gpu_ns),
                            gpu(row.cum_gpu_ns),
                            gpu(row.gpu_idle_ns),
                            memory ? Cell(row.memory.bytes) : Cell(),
                            lines.copies_known ? Cell(row.copied_bytes) : Cell(),
                            Cell(fmt::format("{}:{}", options.wide ? row.file : short_file(row.file), row.line)),
                            Cell(label(function, options.wide)),
                            Cell(row.file),
                            std::int64_t{row.line},
                            Cell(function.name),
                            Cell(std::move(text))};
    if (!memory_first) cells.insert(cells.begin() + 3, share(static_cast<double>(row.own_ns()), whole));
    const std::vector<Cell> figures = line_memory_cells(row, lines, memory);
    cells.insert(cells.begin() + 1, figures.begin(), figures.end());
    sheet.add(std::move(cells));
  }
  sheet.notes = left_out(shown, chosen.size(), python ? "Python lines" : "native lines");
  return sheet;
}

std::vector<std::string> python_notes(const Subject& subject, const fold::Lines& lines, SourceFiles& files) {
  if (!lines.any(Language::Python)) return {"No Python line was seen."};
  std::vector<std::string> notes;
  if (lines.no_python_ns > 0) {
    const auto part = static_cast<double>(lines.no_python_ns);
    notes.push_back(fmt::format("{} of CPU time ({} %) was below no Python line.", duration(part),
                                percent(part, static_cast<double>(lines.total_ns))));
  }
  const auto top = std::find_if(lines.rows.begin(), lines.rows.end(), [&](const SourceLine& row) {
    return row.language == Language::Python && files.file(row.file).readable;
  });
  if (top != lines.rows.end()) {
    const std::string name = short_file(top->file);
    const bool unique = std::none_of(lines.rows.begin(), lines.rows.end(), [&](const SourceLine& row) {
      return row.file != top->file && row.file.ends_with(name);
    });
    notes.push_back(fmt::format("{} --view source --focus {} shows the whole file.", report_command(subject.run),
                                shell_word(unique ? name : top->file)));
  }
  return notes;
}

}  // namespace

std::vector<Sheet> lines_view(const Subject& subject, const ViewOptions& options) {
  fold::Lines lines = fold::lines(subject.run, subject.symbols, subject.selection);
  if (options.sort) sort_lines(lines.rows, *options.sort);
  // Without a wish, a table of each language that has lines; of Python at least.
  const bool any_native = lines.any(Language::Native);
  const bool native = options.language ? options.language == Language::Native : any_native;
  const bool python =
      options.language ? options.language == Language::Python : lines.any(Language::Python) || !any_native;

  SourceFiles files(subject.run);
  std::vector<Sheet> sheets;
  if (python) {
    Sheet& sheet = sheets.emplace_back(lines_sheet(subject, options, lines, Language::Python, kUsualPython, files));
    sheet.captions.push_back(
        "python: the line itself ran; native: native code below it did, the interpreter's own functions included; %: "
        "both.");
    for (std::string& note : python_notes(subject, lines, files)) sheet.notes.push_back(std::move(note));
  }
  if (native) {
    Sheet& sheet = sheets.emplace_back(lines_sheet(subject, options, lines, Language::Native, kUsualNative, files));
    sheet.captions.push_back("Of code with debug information. tottime: the line itself ran.");
    if (!any_native) sheet.notes.push_back("No native line is known: there is no debug information.");
    if (python) {
      sheet.captions.push_back("The same time is in the native column of the Python lines that called it.");
    }
  }
  std::vector<std::string> captions{fmt::format("{}; % is of {}. cumtime: the line was anywhere on the stack.",
                                                cpu_sampling(subject), duration(static_cast<double>(lines.total_ns)))};
  if (heap_recorded(subject)) {
    captions.push_back(fmt::format("allocated: by malloc and its family below the line: {}.", heap_sampling(subject)));
  }
  if (lines.total_wait.blocked_ns() > 0) {
    captions.emplace_back(
        "blocked: in blocking calls of the line, or of native code that it called, without the CPU time in them; cum: "
        "the line was anywhere on the stack.");
  }
  if (lines.device_known) {
    captions.emplace_back("GPU: time on GPUs of what the line launched, by itself or by native code that it called.");
  }
  if (heap_recorded(subject) && options.sort && by_memory(*options.sort)) captions.push_back(line_memory_caption());
  for (std::string& caption : filters(subject, options)) captions.push_back(std::move(caption));
  for (std::string& caption : loss_captions(subject.run)) captions.push_back(std::move(caption));
  std::vector<std::string>& first = sheets.front().captions;
  first.insert(first.begin(), captions.begin(), captions.end());
  return sheets;
}

extern const View kLinesView{
    .name = "lines",
    .help = "lines of source by CPU time",
    .topic = Topic::Time,
    .available = any_process<[](const model::Process& p) { return p.python && p.python->frames; }>,
    .sheets = lines_view};

}  // namespace prof::show
