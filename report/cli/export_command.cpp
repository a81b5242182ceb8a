#include "report/cli/export_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "report/cli/messages.hpp"
#include "report/cli/opened_run.hpp"
#include "report/cli/output.hpp"
#include "report/cli/usage_error.hpp"
#include "report/formats/chrome.hpp"
#include "report/formats/folded.hpp"
#include "report/formats/heaptrack.hpp"
#include "report/formats/massif.hpp"
#include "report/formats/pprof.hpp"
#include "report/formats/pstats.hpp"
#include "report/formats/speedscope.hpp"
#include "report/show/processes.hpp"

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

// A file of heaptrack or massif holds one process: the selected image with the highest peak. Nothing if none of them
// recorded its heap.
std::optional<std::size_t> one_process(const ExportArguments& arguments, const OpenedRun& opened) {
  if (opened.selection.by_thread()) {
    throw UsageError("what is live cannot be told by thread: --thread goes with the other formats");
  }
  std::optional<std::size_t> chosen;
  std::size_t count = 0;
  const auto& processes = opened.run.processes;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (!opened.selection.includes(processes[i]) || processes[i].tree.heap.empty()) continue;
    ++count;
    if (!chosen || processes[i].heap_peak_bytes > processes[*chosen].heap_peak_bytes) chosen = i;
  }
  if (!chosen) return chosen;
  const model::Process& process = processes[*chosen];
  if (count > 1) {
    say(
        fmt::format("a {} file holds one process: this is {} (pid {}), of {} the one with the highest peak; --pid "
                    "chooses another",
                    arguments.format == ExportFormat::Massif ? "massif" : "heaptrack",
                    show::command_label(process, false), process.pid, count));
  }
  if (process.heap_mode == log::HeapMode::Sampled) {
    say("made from samples of allocations: figures are estimates, and temporary allocations are not known (prof run "
        "--heap exact counts them)");
  }
  return chosen;
}

bool write_heaptrack(const ExportArguments& arguments, const OpenedRun& opened, const formats::Write& write) {
  const auto process = one_process(arguments, opened);
  if (!process) return false;
  formats::HeaptrackOptions options;
  options.whole_names = arguments.wide;
  const formats::HeaptrackResult result = formats::heaptrack(opened.subject(), *process, options, write);
  if (result.scale > 1) {
    say(
        fmt::format("heaptrack's format has a line for each allocation: of those that came and went, one in {} is in "
                    "the file, so calls and temporary allocations are to be multiplied by that; the peak and what "
                    "leaked are whole",
                    result.scale));
  }
  return result.any;
}

bool write_massif(const ExportArguments& arguments, const OpenedRun& opened, const formats::Write& write) {
  const auto process = one_process(arguments, opened);
  return process && formats::massif(opened.subject(), *process, arguments.wide, write);
}

// False, after a message, when no selected process has a trace.
bool write_chrome(const OpenedRun& opened, const formats::Write& write) {
  const formats::ChromeResult result = formats::chrome(opened.subject(), write);
  if (result.traces == 0) {
    say_error("this run has no trace: events are kept where that was asked for (prof run --trace 16M -- COMMAND)");
    return false;
  }
  if (result.overwritten > 0) {
    say(fmt::format(
        "the trace holds the last {} events: {} earlier ones were overwritten (prof run --trace with a larger "
        "size keeps more)",
        result.events, result.overwritten));
  }
  if (result.ranks > 1) say("the file holds several ranks: tools that compare ranks want a file of each (--rank N)");
  return true;
}

}  // namespace

int export_command(const ExportArguments& arguments) {
  Output output(arguments.output);
  const bool binary = arguments.format == ExportFormat::Pstats || arguments.format == ExportFormat::Pprof;
  if (binary && output.to_stdout() && isatty(1) == 1) {
    throw UsageError("such a file is binary: say where to with -o FILE");
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
    case ExportFormat::Pprof:
      any = formats::pprof(opened.subject(), {arguments.metric, arguments.wide}, write) > 0;
      break;
    case ExportFormat::Heaptrack:
      any = write_heaptrack(arguments, opened, write);
      break;
    case ExportFormat::Massif:
      any = write_massif(arguments, opened, write);
      break;
    case ExportFormat::Chrome:
      if (!write_chrome(opened, write)) return kUnusable;
      break;
  }
  if (!any) {
    say_error("there is nothing to export: no stack of this run has that metric");
    return kUnusable;
  }
  return output.finish();
}

}  // namespace prof::cli
