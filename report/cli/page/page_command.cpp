#include "report/cli/page/page_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "report/cli/common/messages.hpp"
#include "report/cli/common/opened_run.hpp"
#include "report/cli/common/output.hpp"
#include "report/cli/common/until_exit.hpp"
#include "report/cli/common/usage_error.hpp"
#include "report/cli/page/browser.hpp"
#include "report/show/commands.hpp"
#include "report/show/numbers.hpp"

namespace prof::cli {
namespace {

namespace fs = std::filesystem;

// `prof report --html`: here, by the name of the run's folder. `prof view`: in that folder, or where that cannot be
// written among temporary files.
fs::path usual_place(const PageArguments& arguments, const model::Run& run) {
  std::error_code error;
  fs::path folder = fs::absolute(run.directory, error).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  const std::string name = folder.has_filename() ? folder.filename().string() : "run";
  if (!arguments.view) return name + ".html";
  if (access(run.directory.c_str(), W_OK) == 0) return run.directory / "report.html";
  // Of its own, so that nobody else can have put anything there, or read it.
  std::string own = (fs::temp_directory_path() / "prof-view-XXXXXX").string();
  if (mkdtemp(own.data()) == nullptr) throw UsageError("the run's folder cannot be written: say where to with -o FILE");
  return fs::path(own) / (name + ".html");
}

}  // namespace

int page_command(const PageArguments& arguments) {
  const bool to_stdout = arguments.output && *arguments.output == "-";
  if (to_stdout && arguments.view)
    throw UsageError("prof view writes a file: prof report --html -o - writes to stdout");
  if (to_stdout && isatty(1) == 1) throw UsageError("no terminal shows a page: say where to with -o FILE");
  const OpenedRun& opened = *until_exit(open_run(arguments));
  const std::string html = page::html(opened.subject(), arguments.page);
  const fs::path path = arguments.output ? *arguments.output : usual_place(arguments, opened.run);
  Output output(path);
  output.write(html);
  if (const int status = output.finish(); status != kDone || to_stdout) return status;
  const std::string size = show::bytes(static_cast<double>(html.size()));
  const bool opens = arguments.open && open_in_browser(path);
  if (arguments.open && !opens && std::getenv("BROWSER") != nullptr)
    say_warning("$BROWSER cannot be started: it is to be the name of a program");
  fmt::print("{}\n", show::shown_path(fs::absolute(path)).string());
  say(fmt::format("{}: {}", size, opens ? "opening it in a browser" : "open it in a browser, or send it"));
  return kDone;
}

}  // namespace prof::cli
