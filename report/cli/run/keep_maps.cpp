#include "report/cli/run/keep_maps.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <string>
#include <system_error>

#include "report/cli/run/log_header.hpp"
#include "report/symbols/perf_map.hpp"

namespace prof::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // of all maps of a run

std::optional<log::Header> read_header(const fs::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  const auto header = header_of(file);
  if (file >= 0) close(file);
  return header;
}

// Under a name of its own first, so that nothing that stands there is written to, and no half of a map is read.
bool write_new(const fs::path& path, const std::string& text) {
  const std::string draft = path.string() + ".new";
  const int file = open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return false;
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote = write(file, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) break;
    done += static_cast<std::size_t>(wrote);
  }
  const bool whole = close(file) == 0 && done == text.size();
  if (whole && rename(draft.c_str(), path.c_str()) == 0) return true;
  unlink(draft.c_str());
  return false;
}

}  // namespace

void keep_perf_maps(const fs::path& directory, std::int64_t began_ns) {
  struct Log {
    fs::path path;
    std::uint64_t start_ns = 0;
  };
  std::map<std::uint32_t, Log> newest;  // by pid: whoever had the number last may have written the map
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() != log::kFileSuffix) continue;
    const auto header = read_header(entry->path());
    if (!header) continue;
    Log& known = newest[header->pid];
    if (known.path.empty() || header->start_realtime_ns > known.start_ns)
      known = {entry->path(), header->start_realtime_ns};
  }
  std::size_t bytes = 0;
  for (const auto& [pid, log] : newest) {
    const std::int64_t from = std::max(began_ns, static_cast<std::int64_t>(log.start_ns));
    const auto map =
        symbols::longest_list(pid, symbols::kPerfMapFolder, fs::current_path(error), log.path, from, INT64_MAX);
    if (!map || bytes + map->text.size() > kMostBytes) continue;
    bytes += map->text.size();
    write_new(symbols::perf_map_copy(log.path), map->text);
  }
}

}  // namespace prof::cli
