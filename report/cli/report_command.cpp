#include "report/cli/report_command.hpp"

#include <string_view>

#include "report/cli/opened_run.hpp"
#include "report/cli/output.hpp"
#include "report/cli/usage_error.hpp"
#include "report/fold/call_tree.hpp"
#include "report/formats/csv.hpp"
#include "report/formats/folded.hpp"
#include "report/formats/json.hpp"
#include "report/show/table.hpp"
#include "report/show/timeline_plot.hpp"
#include "report/show/wall_words.hpp"
#include "report/summary/findings_text.hpp"
#include "report/summary/summary.hpp"

namespace prof::cli {
namespace {

// Tables with memory columns beside those of time want this many columns of a terminal.
constexpr std::size_t kRoomy = 120;

show::ViewOptions view_options(const ReportArguments& arguments, const show::Terminal& terminal) {
  show::ViewOptions options;
  options.sort = arguments.sort;
  options.limit = arguments.limit;
  options.everything = arguments.format != Format::Table;
  options.wide = arguments.wide;
  options.memory_columns = arguments.wide || terminal.width == 0 || terminal.width >= kRoomy;
  options.measure = arguments.metric.value_or(model::Measure::CpuTime);
  options.function = arguments.function;
  options.language = arguments.language;
  options.bottom_up = arguments.bottom_up;
  options.min_percent = arguments.min_percent;
  options.steps = arguments.steps;
  options.group_by = arguments.group_by;
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
    case show::View::Lines:
      return lines_view(subject, options);
    case show::View::Source:
      return {source_view(subject, options)};
    case show::View::Calls:
      return {calls_view(subject, options)};
    case show::View::LineHits:
      return line_hits_view(subject, options);
    case show::View::Imports:
      return imports_view(subject, options);
    case show::View::Heap:
      return heap_view(subject, options);
    case show::View::Leaks:
      return leaks_view(subject, options);
    case show::View::Sizes:
      return sizes_view(subject, options);
    case show::View::Timeline:
      return {timeline_view(subject, options)};
    case show::View::Memory:
      return memory_view(subject, options);
    case show::View::Processes:
      return {processes_view(subject, options)};
    case show::View::Threads:
      return {threads_view(subject, options)};
    case show::View::Libraries:
      return {libraries_view(subject, options)};
    case show::View::Modules:
      return {modules_view(subject, options)};
    case show::View::Api:
      return {api_view(subject, options)};
    case show::View::Kernels:
      return kernels_view(subject, options);
    case show::View::Copies:
      return {copies_view(subject, options)};
    case show::View::GpuMemory:
      return gpu_memory_view(subject, options);
    case show::View::Ranges:
      return {ranges_view(subject, options)};
    case show::View::Flops:
      return {flops_view(subject, options)};
    case show::View::Idle:
      return {idle_view(subject, options)};
    case show::View::Files:
      return files_view(subject, options);
    case show::View::Locks:
      return locks_view(subject, options);
    case show::View::Loading:
      return loading_view(subject, options);
    case show::View::Blocking:
      return blocking_view(subject, options);
    case show::View::Ops:
      return {ops_view(subject, options)};
    case show::View::Steps:
      return steps_view(subject, options);
    case show::View::Actions:
      return actions_view(subject, options);
    case show::View::Findings:
      return findings_view(subject, options);
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

void write_report(const ReportArguments& arguments, const show::Subject& subject, const show::ViewOptions& options,
                  const show::Terminal& terminal, Output& output) {
  switch (arguments.format) {
    case Format::Json:
      output.write(formats::json(subject, options));
      return;
    case Format::Csv:
      output.write(one_csv(sheets_of(arguments.view, subject, options)));
      return;
    case Format::Folded:
      formats::folded(fold::build_call_tree(subject.run, subject.symbols, subject.selection), options.measure,
                      options.wide, [&output](std::string_view piece) { output.write(piece); });
      return;
    case Format::Table:
      break;
  }
  if (arguments.view == show::View::Summary) {
    output.write(show::summary(subject, options, terminal));
  } else if (arguments.view == show::View::Findings) {
    output.write(show::findings_text(subject, options, terminal));
  } else if (arguments.view == show::View::Timeline) {
    output.write(show::timeline_plot(subject, options, terminal));
  } else if (arguments.view == show::View::Threads) {
    const std::string bars = show::wall_bars(subject, options, terminal);
    output.write(bars + (bars.empty() ? "" : "\n") + tables(sheets_of(arguments.view, subject, options), terminal));
  } else {
    output.write(tables(sheets_of(arguments.view, subject, options), terminal));
  }
}

// Whether the view looks its focus up itself: there are no stacks in what it shows, or all of them are wanted.
bool own_focus(const ReportArguments& arguments) {
  if (arguments.format != Format::Table && arguments.format != Format::Csv) return false;
  return arguments.view == show::View::Source || arguments.view == show::View::Calls ||
         arguments.view == show::View::LineHits || arguments.view == show::View::Actions;
}

}  // namespace

int report_command(const ReportArguments& arguments) {
  Output output(arguments.output);
  const show::Terminal terminal = output.to_stdout()
                                      ? show::terminal_of(1, arguments.colour)
                                      : show::Terminal{false, arguments.colour == show::ColourChoice::Always, 0};
  const OpenedRun opened = open_run(arguments, own_focus(arguments) ? Focus::Subject : Focus::Stacks);
  show::Terminal shown = terminal;
  if (arguments.wide) shown.width = 0;
  try {
    write_report(arguments, opened.subject(), view_options(arguments, terminal), shown, output);
  } catch (const show::NoSuchFocus& error) {
    throw UsageError(error.what());
  }
  return output.finish();
}

}  // namespace prof::cli
