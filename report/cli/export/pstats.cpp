// pstats, of exact calls where there are any.
#include "report/formats/pstats.hpp"

#include <algorithm>

#include "report/cli/common/messages.hpp"
#include "report/cli/common/usage_error.hpp"
#include "report/cli/export/export.hpp"
#include "report/fold/call_tree.hpp"
#include "report/fold/python/exact_calls.hpp"

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

Exported write_pstats(const ExportArguments& arguments, const OpenedRun& opened, const formats::Write& write) {
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
  return something_if(!table.empty());
}

}  // namespace

extern const Export kPstatsExport{
    .name = "pstats", .help = "python -m pstats, snakeviz, gprof2dot", .option = "--qualname", .write = write_pstats};

}  // namespace prof::cli
