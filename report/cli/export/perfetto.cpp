// Perfetto's own format: all that has a time, and the sums of stacks.
#include <fmt/format.h>

#include "report/cli/common/messages.hpp"
#include "report/cli/export/export.hpp"
#include "report/formats/perfetto/perfetto.hpp"

namespace prof::cli {
namespace {

Exported write_perfetto(const ExportArguments& arguments, const OpenedRun& opened, const formats::Write& write) {
  const formats::PerfettoResult result =
      formats::perfetto_trace(opened.subject(), {.whole_names = arguments.wide}, write);
  if (result.one_sample_of > 1) {
    say(fmt::format("of {} CPU samples one in {} is in the file as a PerfSample; StackSamples have all of the time",
                    result.samples, result.one_sample_of));
  }
  if (result.overwritten > 0) {
    say(fmt::format("{} earlier events of the trace were overwritten (prof run --trace with a larger size keeps more)",
                    result.overwritten));
  }
  return something_if(result.packets > 0);
}

}  // namespace

extern const Export kPerfettoExport{
    .name = "perfetto", .help = "https://ui.perfetto.dev; smaller than chrome", .write = write_perfetto};

}  // namespace prof::cli
