#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "report/show/captions.hpp"
#include "report/show/commands.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/time/line_figures.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"
#include "report/symbols/source_files.hpp"

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

// Whether a runtime (Java's) made some of the code.
bool any_made(const Subject& subject, const fold::Lines& lines) {
  return std::any_of(lines.rows.begin(), lines.rows.end(), [&](const SourceLine& row) {
    return row.language == Language::Native &&
           symbols::is_made_at_run_time(subject.symbols.function(row.function).module);
  });
}

Sheet lines_sheet(const Subject& subject, const ViewOptions& options, const fold::Lines& lines, Language language,
                  std::size_t usual, symbols::SourceFiles& files) {
  const char* const what = language == Language::Python ? "Python lines"
                           : any_made(subject, lines)   ? "lines of compiled code"
                                                        : "native lines";
  Sheet sheet;
  sheet.title = what;
  sheet.title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(sheet.title.front())));
  sheet.one_time_unit = true;
  Figures<SourceLine> figures = line_figures(subject, lines, options, language);
  figures.push_back(
      {{"source", "source", Kind::Text, "", Where::Everywhere, !options.wide}, [&](const SourceLine& row) {
         std::string text = files.line(row.file, row.line);
         return text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
       }});
  sheet.columns = columns_of(figures);
  std::vector<const SourceLine*> chosen;
  for (const SourceLine& row : lines.rows) {
    if (row.language == language) chosen.push_back(&row);
  }
  const std::size_t shown = options.rows_of(chosen.size(), usual);
  for (std::size_t i = 0; i < shown; ++i) sheet.add(cells_of(figures, *chosen[i]));
  sheet.notes = left_out(shown, chosen.size(), what);
  return sheet;
}

std::vector<std::string> python_notes(const Subject& subject, const fold::Lines& lines, symbols::SourceFiles& files) {
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

// Lines of source by CPU time: of Python, then native ones where there is debug information.
static std::vector<Sheet> lines_view(const Subject& subject, const ViewOptions& options) {
  fold::Lines lines = line_rows(subject);
  if (options.sort) sort_lines(lines.rows, *options.sort);
  // Without a wish, a table of each language that has lines; of Python at least.
  const bool any_native = lines.any(Language::Native);
  const bool native = options.language ? options.language == Language::Native : any_native;
  const bool python =
      options.language ? options.language == Language::Python : lines.any(Language::Python) || !any_native;

  symbols::SourceFiles files(subject.run, options.source_allowed);
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
    sheet.captions.push_back(fmt::format("Of {}code with debug information. tottime: the line itself ran.",
                                         any_made(subject, lines) ? "code made at run time, and of other " : ""));
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
  if (memory_first(subject, options)) captions.push_back(line_memory_caption());
  for (std::string& caption : filters(subject, options)) captions.push_back(std::move(caption));
  for (std::string& caption : loss_captions(subject.run)) captions.push_back(std::move(caption));
  if (sheets.empty()) sheets.push_back(lines_sheet(subject, options, lines, Language::Python, kUsualPython, files));
  std::vector<std::string>& first = sheets.front().captions;
  first.insert(first.begin(), captions.begin(), captions.end());
  return sheets;
}

extern const View kLinesView{
    .name = "lines",
    .help = "lines of source by CPU time",
    .topic = Topic::Time,
    .available = any_process<[](const model::Process& p) { return p.python && p.python->frames; }>,
    .sheets = lines_view,
    .sorts = kMemoryKeys |
             SortKeys{SortKey::Tottime, SortKey::Cumtime, SortKey::Gpu, SortKey::Blocked, SortKey::Wall, SortKey::Name},
    .options = "--language"};

}  // namespace prof::show
