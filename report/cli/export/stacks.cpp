// Formats of stacks with one figure each.
#include "report/cli/export/export.hpp"
#include "report/fold/call_tree.hpp"
#include "report/formats/folded.hpp"
#include "report/formats/pprof.hpp"
#include "report/formats/speedscope.hpp"

namespace prof::cli {
namespace {

Exported write_folded(const ExportArguments& arguments, const OpenedRun& opened, const formats::Write& write) {
  check_measure(arguments.metric, opened.selection);
  bool any = false;
  formats::folded(fold::build_call_tree(opened.run, opened.symbols, opened.selection), arguments.metric, arguments.wide,
                  [&](std::string_view piece) {
                    any = true;
                    write(piece);
                  });
  return something_if(any);
}

Exported write_speedscope(const ExportArguments& arguments, const OpenedRun& opened, const formats::Write& write) {
  check_measure(arguments.metric, opened.selection);
  return something_if(
      formats::speedscope(opened.subject(), {arguments.metric, arguments.wide, arguments.merge}, write) > 0);
}

Exported write_pprof(const ExportArguments& arguments, const OpenedRun& opened, const formats::Write& write) {
  return something_if(formats::pprof(opened.subject(), {arguments.metric, arguments.wide}, write) > 0);
}

}  // namespace

extern const Export kFoldedExport{.name = "folded",
                                  .help = "one line a stack, for flamegraph.pl and inferno",
                                  .for_people = true,
                                  .any_metric = true,
                                  .write = write_folded};

extern const Export kSpeedscopeExport{.name = "speedscope",
                                      .help = "https://www.speedscope.app",
                                      .any_metric = true,
                                      .option = "--merge",
                                      .write = write_speedscope};

extern const Export kPprofExport{.name = "pprof", .help = "go tool pprof", .any_metric = true, .write = write_pprof};

}  // namespace prof::cli
