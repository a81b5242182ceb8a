#include "report/cli/main_command.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <system_error>

#include "report/cli/arguments.hpp"
#include "report/cli/common/messages.hpp"
#include "report/cli/common/usage_error.hpp"
#include "report/cli/run/run_directory.hpp"
#include "report/model/load.hpp"

namespace prof::cli {
namespace {

// Whether somebody has recorded here, in this directory or in one directly below it.
bool run_is_here() {
  std::error_code error;
  if (count_logs(".") > 0) return true;
  for (std::filesystem::directory_iterator entry(".", error), end; !error && entry != end; entry.increment(error)) {
    if (entry->is_directory(error) && count_logs(entry->path()) > 0) return true;
  }
  return false;
}

struct Doer {
  int operator()(const NoCommand&) const {
    if (run_is_here()) return report_command({});
    fmt::print("{}", first_steps());
    return kDone;
  }
  int operator()(const Text& text) const {
    fmt::print("{}", text.text);
    return kDone;
  }
  int operator()(const RunArguments& arguments) const { return run_command(arguments); }
  int operator()(const ReportArguments& arguments) const { return report_command(arguments); }
  int operator()(const PageArguments& arguments) const { return page_command(arguments); }
  int operator()(const ExportArguments& arguments) const { return export_command(arguments); }
};

}  // namespace

int main_command(const std::vector<std::string>& words) {
  start_messages(false);
  try {
    const Arguments arguments = parse(words);
    start_messages(arguments.verbose);
    const int status = std::visit(Doer{}, arguments.command);
    say_cost_so_far("done");
    return status;
  } catch (const UsageError& error) {
    say_error(error.what());
    return kWrongUsage;
  } catch (const model::LoadError& error) {
    say_error(error.what());
    return kUnusable;
  } catch (const std::exception& error) {
    say_error(error.what());
    return kUnusable;
  }
}

}  // namespace prof::cli
