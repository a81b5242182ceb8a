#include "report/cli/report_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <regex>

#include "report/cli/messages.hpp"
#include "report/fold/call_tree.hpp"
#include "report/formats/csv.hpp"
#include "report/formats/folded.hpp"
#include "report/formats/json.hpp"
#include "report/model/load.hpp"
#include "report/show/summary.hpp"
#include "report/show/table.hpp"
#include "report/show/words.hpp"

namespace prof::cli {
namespace {

// Tables with memory columns beside those of time want this many columns of a terminal.
constexpr std::size_t kRoomy = 120;

std::optional<std::regex> expression(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return std::regex(text, std::regex::ECMAScript | std::regex::optimize);
}

fold::Selection selection_of(const ReportArguments& arguments) {
  fold::Selection selection;
  selection.pids = arguments.pids;
  selection.threads = arguments.threads;
  selection.focus = expression(arguments.focus);
  selection.ignore = expression(arguments.ignore);
  return selection;
}

// A name that was mistyped must not look like a process without figures.
void check_selection(const model::Run& run, const fold::Selection& selection) {
  bool process_found = selection.pids.empty();
  bool thread_found = selection.threads.empty();
  for (const model::Process& process : run.processes) {
    if (!selection.includes(process)) continue;
    process_found = true;
    for (const model::Thread& thread : process.threads) thread_found |= selection.includes(thread);
  }
  if (!process_found) throw UsageError("no process of this run has that pid; --view processes lists them");
  if (!thread_found) throw UsageError("no thread of this run has that name or number; --view threads lists them");
}

show::ViewOptions view_options(const ReportArguments& arguments, const show::Terminal& terminal) {
  show::ViewOptions options;
  options.sort = arguments.sort;
  options.limit = arguments.limit;
  options.everything = arguments.format != Format::Table;
  options.wide = arguments.wide;
  options.memory_columns = arguments.wide || terminal.width == 0 || terminal.width >= kRoomy;
  options.measure = arguments.metric.value_or(model::Measure::CpuTime);
  options.function = arguments.function;
  options.bottom_up = arguments.bottom_up;
  options.min_percent = arguments.min_percent;
  options.focus = arguments.focus;
  options.ignore = arguments.ignore;
  return options;
}

std::vector<show::Sheet> sheets_of(show::View view, const show::Subject& subject, const show::ViewOptions& options) {
  switch (view) {
    case show::View::Functions:
      return {functions_view(subject, options)};
    case show::View::Callers:
      return {callers_view(subject, options)};
    case show::View::Tree:
      return {tree_view(subject, options)};
    case show::View::Heap:
      return heap_view(subject, options);
    case show::View::Processes:
      return {processes_view(subject, options)};
    case show::View::Threads:
      return {threads_view(subject, options)};
    case show::View::Modules:
      return {modules_view(subject, options)};
    case show::View::Summary:
      break;
  }
  return {show::summary_sheet(subject)};
}

std::string tables(const std::vector<show::Sheet>& sheets, const show::Terminal& terminal) {
  std::string out;
  for (const show::Sheet& sheet : sheets) {
    if (!out.empty()) out += '\n';
    out += show::table(sheet, terminal);
  }
  return out;
}

// Sheets of one view have the same columns: as CSV they are one list.
std::string one_csv(std::vector<show::Sheet> sheets) {
  show::Sheet& all = sheets.front();
  for (std::size_t i = 1; i < sheets.size(); ++i) {
    for (show::Row& row : sheets[i].rows) all.rows.push_back(std::move(row));
  }
  return formats::csv(all);
}

std::string report_text(const ReportArguments& arguments, const show::Subject& subject,
                        const show::ViewOptions& options, const show::Terminal& terminal) {
  switch (arguments.format) {
    case Format::Json:
      return formats::json(subject, options);
    case Format::Csv:
      return one_csv(sheets_of(arguments.view, subject, options));
    case Format::Folded:
      return formats::folded(fold::build_call_tree(subject.run, subject.symbols, subject.selection), options.measure,
                             options.wide);
    case Format::Table:
      break;
  }
  if (arguments.view == show::View::Summary) return show::summary(subject, options, terminal);
  return tables(sheets_of(arguments.view, subject, options), terminal);
}

int failed(const std::string& where) {
  say_error(fmt::format("{} cannot be written: {}", where, std::strerror(errno)));
  return kUnusable;
}

int write_out(const std::string& text, const std::optional<std::filesystem::path>& output) {
  if (!output || *output == "-") {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    return written ? kDone : failed("the report");
  }
  std::FILE* file = std::fopen(output->c_str(), "wb");
  if (file == nullptr) return failed(output->string());
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  return written && closed ? kDone : failed(output->string());
}

symbols::Symbols named(const model::Run& run, const ReportArguments& arguments) {
  symbols::Options options;
  options.search = arguments.symbol_path;
  const bool show_progress = isatty(2) == 1;
  if (show_progress) {
    options.progress = [](std::size_t done, std::size_t all) {
      fmt::print(stderr, "\rprof: reading symbols of modules: {} of {}", done, all);
      std::fflush(stderr);
    };
  }
  symbols::Symbols symbols = symbols::symbolize(run, options);
  if (show_progress) fmt::print(stderr, "\r{:60}\r", "");
  return symbols;
}

}  // namespace

int report_command(const ReportArguments& arguments) {
  const show::Terminal terminal = arguments.output && *arguments.output != "-"
                                      ? show::Terminal{false, arguments.colour == show::ColourChoice::Always, 0}
                                      : show::terminal_of(1, arguments.colour);
  const model::Run run = model::load(arguments.run);
  for (const std::string& warning : run.warnings) say_warning(warning);
  say_detail(fmt::format("{} process images from {}", run.processes.size(), run.directory.string()));
  const fold::Selection selection = selection_of(arguments);
  check_selection(run, selection);
  const symbols::Symbols symbols = named(run, arguments);
  for (const symbols::ModuleReport& report : symbols.modules()) {
    say_detail(fmt::format("{}: {} of {} addresses named, from {} {}", report.path,
                           report.addresses - report.unresolved, report.addresses, symbols::to_string(report.source),
                           report.symbol_file));
  }
  show::Terminal shown = terminal;
  if (arguments.wide) shown.width = 0;
  const show::Subject subject{run, symbols, selection};
  return write_out(report_text(arguments, subject, view_options(arguments, terminal), shown), arguments.output);
}

}  // namespace prof::cli
