// All measures in one file.
#include "report/formats/callgrind.hpp"

#include "report/cli/export/export.hpp"

namespace prof::cli {
namespace {

Exported write_callgrind(const ExportArguments& arguments, const OpenedRun& opened, const formats::Write& write) {
  return something_if(formats::callgrind(opened.subject(), arguments.wide, write));
}

}  // namespace

extern const Export kCallgrindExport{
    .name = "callgrind", .help = "callgrind_annotate, KCachegrind", .write = write_callgrind};

}  // namespace prof::cli
