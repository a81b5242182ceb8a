// The trace.
#include "report/formats/chrome.hpp"

#include <fmt/format.h>

#include "report/cli/common/messages.hpp"
#include "report/cli/export/export.hpp"

namespace prof::cli {
namespace {

Exported write_chrome(const ExportArguments&, const OpenedRun& opened, const formats::Write& write) {
  const formats::ChromeResult result = formats::chrome(opened.subject(), write);
  if (result.traces == 0) {
    say_error("this run has no trace: events are kept where that was asked for (prof run --trace 16M -- COMMAND)");
    return Exported::Refused;
  }
  if (result.overwritten > 0) {
    say(fmt::format(
        "the trace holds the last {} events: {} earlier ones were overwritten (prof run --trace with a larger "
        "size keeps more)",
        result.events, result.overwritten));
  }
  if (result.ranks > 1) say("the file holds several ranks: tools that compare ranks want a file of each (--rank N)");
  return Exported::Something;
}

}  // namespace

extern const Export kChromeExport{.name = "chrome",
                                  .help = "https://ui.perfetto.dev, chrome://tracing; of a run with --trace",
                                  .write = write_chrome};

}  // namespace prof::cli
