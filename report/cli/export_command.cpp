#include "report/cli/export_command.hpp"

#include <unistd.h>

#include <algorithm>

#include "report/cli/messages.hpp"
#include "report/cli/opened_run.hpp"
#include "report/cli/output.hpp"
#include "report/cli/usage_error.hpp"
#include "report/formats/folded.hpp"
#include "report/formats/pstats.hpp"
#include "report/formats/speedscope.hpp"

namespace prof::cli {
namespace {

// Whether exact calls tell of the whole program. Those of a few watched functions do not: samples say more then.
bool counted_exactly(const OpenedRun& opened, const fold::ExactCalls& calls) {
  const auto& processes = opened.run.processes;
  const bool sampled = std::any_of(processes.begin(), processes.end(),
                                   [](const model::Process& process) { return process.sample_period_ns != 0; });
  return !calls.empty() &&
         (!sampled || std::any_of(processes.begin(), processes.end(), [&](const model::Process& process) {
           return opened.selection.includes(process) && process.python && process.python->mode == "calls";
         }));
}

// False when there is nothing to export.
bool write_pstats(const ExportArguments& arguments, const OpenedRun& opened, const formats::Write& write) {
  const formats::PythonNames names = arguments.qualname ? formats::PythonNames::Qualified : formats::PythonNames::Plain;
  const fold::ExactCalls calls = fold::exact_calls(opened.run, opened.selection);
  formats::PstatsTable table;
  if (!counted_exactly(opened, calls)) {
    table = formats::pstats_table(fold::build_call_tree(opened.run, opened.symbols, opened.selection), names);
    if (!table.empty()) {
      say("made from CPU samples: times are sampled CPU time and ncalls are numbers of samples, not of calls "
          "(prof run --python calls counts those)");
    }
  } else {
    if (!arguments.focus.empty() || !arguments.ignore.empty()) {
      throw UsageError("--focus and --ignore choose stacks: this run has exact calls, which have none");
    }
    table = formats::pstats_table(calls, names);
  }
  if (!table.empty()) formats::pstats(table, write);
  return !table.empty();
}

}  // namespace

int export_command(const ExportArguments& arguments) {
  Output output(arguments.output);
  if (arguments.format == ExportFormat::Pstats && output.to_stdout() && isatty(1) == 1) {
    throw UsageError("a pstats file is binary: say where to with -o FILE");
  }
  const OpenedRun opened = open_run(arguments);
  bool any = false;
  const formats::Write write = [&](std::string_view piece) {
    any = true;
    output.write(piece);
  };
  switch (arguments.format) {
    case ExportFormat::Folded:
      formats::folded(fold::build_call_tree(opened.run, opened.symbols, opened.selection), arguments.metric,
                      arguments.wide, write);
      break;
    case ExportFormat::Speedscope:
      any = formats::speedscope(opened.subject(), {arguments.metric, arguments.wide, arguments.merge}, write) > 0;
      break;
    case ExportFormat::Pstats:
      any = write_pstats(arguments, opened, write);
      break;
  }
  if (!any) {
    say_error("there is nothing to export: no stack of this run has that metric");
    return kUnusable;
  }
  return output.finish();
}

}  // namespace prof::cli
