#include "report/cli/run/run_directory.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <system_error>

#include "agent/contract/format.hpp"
#include "agent/contract/options.hpp"
#include "report/cli/common/usage_error.hpp"
#include "report/show/commands.hpp"

namespace prof::cli {

namespace fs = std::filesystem;

std::string new_run_name() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  char text[32] = "";
  if (localtime_r(&now, &parts) != nullptr) std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &parts);
  return fmt::format("prof-{}-{}", text, getpid());
}

fs::path usual_run_directory() {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  const bool usable = !error && access(here.c_str(), W_OK | X_OK) == 0;
  return (usable ? here : fs::path("/tmp")) / new_run_name();
}

fs::path absolute_run_directory(const std::string& out) {
  std::error_code error;
  const fs::path absolute = fs::absolute(out, error);
  if (error) {
    throw UsageError(
        fmt::format("where {} would be cannot be told: the working directory is gone; "
                    "give --out a path from the root on",
                    out));
  }
  fs::path normal = absolute.lexically_normal();
  constexpr std::size_t kMost = sizeof(Options::out) - 1;
  if (normal.native().size() > kMost) {
    throw UsageError(fmt::format("--out takes a path of {} bytes at most, not {}", kMost, in_quotes(normal.native())));
  }
  return normal;
}

std::size_t count_logs(const fs::path& directory) {
  std::error_code error;
  std::size_t count = 0;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == log::kFileSuffix) ++count;
  }
  return count;
}

void check_run_directory(const fs::path& directory, bool force) {
  std::error_code error;
  const bool exists = fs::exists(directory, error);
  // Found out now, and not by the agent: what is missing it makes, and such a name cannot be made.
  if (error == std::errc::filename_too_long) {
    throw UsageError(fmt::format("no logs can be written in {}: {}; choose another directory with --out",
                                 in_quotes(directory.native()), std::strerror(ENAMETOOLONG)));
  }
  if (exists && !fs::is_directory(directory, error)) {
    throw UsageError(fmt::format("{} is no directory", directory.string()));
  }
  if (!force && count_logs(directory) > 0) {
    const std::string shown = show::shown_path(directory).string();
    throw UsageError(fmt::format(
        "{} already holds the logs of a run: choose another one with --out, or add to it with --force", shown));
  }
  fs::path existing = directory;
  while (!fs::exists(existing, error) && existing.has_relative_path()) {
    // Nobody can make what a link leads to and is not there.
    if (fs::is_symlink(fs::symlink_status(existing, error))) {
      throw UsageError(fmt::format("no logs can be written in {}: {} is a link that leads to nothing",
                                   in_quotes(directory.native()), in_quotes(existing.native())));
    }
    existing = existing.parent_path();
  }
  // Rights are not all: below /proc root itself makes nothing. A name that nobody else has, so that nobody meets it.
  const bool allowed = access(existing.c_str(), W_OK | X_OK) == 0;
  const fs::path tried = existing / fmt::format(".prof-{}", getpid());
  const bool made = allowed && mkdir(tried.c_str(), 0700) == 0;
  if (made) rmdir(tried.c_str());
  if (!made && (!allowed || errno != EEXIST)) {
    throw UsageError(fmt::format("no logs can be written below {}: {}; choose another directory with --out",
                                 existing.string(), std::strerror(errno)));
  }
}

}  // namespace prof::cli
