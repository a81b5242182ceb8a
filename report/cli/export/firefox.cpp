// Threads with their stacks, memory over time, and the trace where there is one.
#include "report/formats/firefox/firefox.hpp"

#include "report/cli/export/export.hpp"

namespace prof::cli {
namespace {

Exported write_firefox(const ExportArguments& arguments, const OpenedRun& opened, const formats::Write& write) {
  check_measure(arguments.metric, opened.selection);
  return something_if(formats::firefox(opened.subject(), {arguments.metric, arguments.wide}, write) > 0);
}

}  // namespace

extern const Export kFirefoxExport{
    .name = "firefox", .help = "https://profiler.firefox.com", .any_metric = true, .write = write_firefox};

}  // namespace prof::cli
