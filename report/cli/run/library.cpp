#include "report/cli/run/library.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>
#include <vector>

#include "report/cli/common/usage_error.hpp"

namespace prof::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "libprof.so";

std::vector<fs::path> candidates() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const fs::path here = self.parent_path();
  const fs::path lib = here.parent_path() / "lib";
  return {here / kName, lib / kName, lib / "x86_64-linux-gnu" / kName, here.parent_path() / "lib64" / kName};
}

fs::path absolute_path(const fs::path& path) {
  std::error_code error;
  const fs::path canonical = fs::canonical(path, error);
  return error ? fs::absolute(path) : canonical;
}

}  // namespace

fs::path find_library() {
  fs::path found;
  const char* named = std::getenv("PROF_LIBRARY");
  if (named != nullptr && *named != '\0') {
    if (access(named, R_OK) != 0) throw UsageError(fmt::format("PROF_LIBRARY={} cannot be read", named));
    found = absolute_path(named);
  } else {
    for (const fs::path& candidate : candidates()) {
      if (access(candidate.c_str(), R_OK) != 0) continue;
      found = absolute_path(candidate);
      break;
    }
  }
  if (found.empty()) {
    std::string looked;
    for (const fs::path& candidate : candidates()) looked += "\n  " + candidate.string();
    throw UsageError(fmt::format("{} was not found; PROF_LIBRARY=PATH names it. Looked for:{}", kName, looked));
  }
  if (found.string().find_first_of(" \t\n:$") != std::string::npos) {
    throw UsageError(
        fmt::format("the dynamic loader cannot preload {}: blanks, colons and dollar signs have meanings of "
                    "their own in LD_PRELOAD; move the folder",
                    found.string()));
  }
  return found;
}

std::string preload_value(const fs::path& library, const char* before) {
  std::string out = library.string();
  if (before != nullptr && *before != '\0') out.append(":").append(before);
  return out;
}

}  // namespace prof::cli
