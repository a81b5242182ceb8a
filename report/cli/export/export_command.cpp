#include "report/cli/export/export_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "report/cli/common/messages.hpp"
#include "report/cli/common/opened_run.hpp"
#include "report/cli/common/output.hpp"
#include "report/cli/common/until_exit.hpp"
#include "report/cli/common/usage_error.hpp"
#include "report/cli/export/export.hpp"

namespace prof::cli {

int export_command(const ExportArguments& arguments) {
  Output output(arguments.output);
  const bool own_file = arguments.format->own_file;
  if (own_file && output.to_stdout()) {
    throw UsageError(
        fmt::format("a {} file is not written in one go: say where to with -o FILE", arguments.format->name));
  }
  // Megabytes that nobody reads bury what stood there.
  if (!arguments.format->for_people && output.to_stdout() && isatty(1) == 1) {
    throw UsageError(fmt::format(
        "a {} file is for other programs, and would go to the terminal: say where to with -o FILE or > FILE",
        arguments.format->name));
  }
  const OpenedRun& opened = *until_exit(open_run(arguments));
  const Exported done =
      arguments.format->write(arguments, opened, [&](std::string_view piece) { output.write(piece); });
  if (done == Exported::Nothing) say_error("there is nothing to export: no stack of this run has that metric");
  if (done != Exported::Something) return kUnusable;
  return own_file ? kDone : output.finish();
}

}  // namespace prof::cli
