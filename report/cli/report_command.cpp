#include "report/cli/report_command.hpp"

#include <string>
#include <utility>
#include <vector>

#include "report/cli/common/opened_run.hpp"
#include "report/cli/common/output.hpp"
#include "report/cli/common/until_exit.hpp"
#include "report/cli/common/usage_error.hpp"
#include "report/cli/export/export.hpp"
#include "report/formats/csv.hpp"
#include "report/formats/json.hpp"
#include "report/show/table.hpp"

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
  options.by_function = arguments.by_function;
  options.min_percent = arguments.min_percent;
  options.steps = arguments.steps;
  options.group_by = arguments.group_by;
  options.focus = arguments.focus;
  options.ignore = arguments.ignore;
  return options;
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
      output.write(formats::json(subject, options, arguments.sections));
      return;
    case Format::Csv:
      output.write(one_csv(arguments.view->sheets(subject, options)));
      return;
    case Format::Folded:  // see report_command
    case Format::Table:
      break;
  }
  const show::View& view = *arguments.view;
  output.write(view.text != nullptr ? view.text(subject, options, terminal)
                                    : show::tables(view.sheets(subject, options), terminal));
}

bool own_focus(const ReportArguments& arguments) {
  return arguments.view->own_focus && (arguments.format == Format::Table || arguments.format == Format::Csv);
}

int export_folded(const ReportArguments& arguments) {
  ExportArguments same;
  static_cast<ReadArguments&>(same) = arguments;
  same.format = &kFoldedExport;
  same.metric = arguments.metric.value_or(model::Measure::CpuTime);
  same.wide = arguments.wide;
  return export_command(same);
}

}  // namespace

int report_command(const ReportArguments& arguments) {
  if (arguments.format == Format::Folded) return export_folded(arguments);
  Output output(arguments.output);
  const show::Terminal terminal = output.to_stdout()
                                      ? show::terminal_of(1, arguments.colour)
                                      : show::Terminal{false, arguments.colour == show::ColourChoice::Always, 0};
  const OpenedRun& opened = *until_exit(open_run(arguments, own_focus(arguments) ? Focus::Subject : Focus::Stacks));
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
