#include "report/read/find_run.hpp"

#include <algorithm>
#include <map>

#include "report/read/log_bytes.hpp"
#include "report/read/log_error.hpp"

namespace prof::read {
namespace {

namespace fs = std::filesystem;

// The logs of one directory by run. Those whose header cannot be read belong to any: `unknown`.
struct Shelf {
  struct Entry {
    std::uint64_t first_start_ns = UINT64_MAX;
    std::vector<fs::path> logs;
  };
  fs::path directory;
  std::map<std::uint64_t, Entry> runs;
  std::vector<fs::path> unknown;

  bool empty() const { return runs.empty() && unknown.empty(); }
  const std::pair<const std::uint64_t, Entry>* newest() const {
    const auto by_start = [](const auto& a, const auto& b) {
      return a.second.first_start_ns < b.second.first_start_ns;
    };
    const auto found = std::max_element(runs.begin(), runs.end(), by_start);
    return found == runs.end() ? nullptr : &*found;
  }
};

std::vector<fs::path> logs_in(const fs::path& directory) {
  std::vector<fs::path> logs;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == log::kFileSuffix) logs.push_back(it->path());
  }
  std::sort(logs.begin(), logs.end());
  return logs;
}

Shelf shelf_of(const fs::path& directory) {
  Shelf shelf;
  shelf.directory = directory;
  for (const fs::path& path : logs_in(directory)) {
    try {
      const log::Header header = read_header(path);
      Shelf::Entry& entry = shelf.runs[header.run_id];
      entry.first_start_ns = std::min(entry.first_start_ns, header.start_realtime_ns);
      entry.logs.push_back(path);
    } catch (const LogError&) {
      shelf.unknown.push_back(path);
    }
  }
  return shelf;
}

// The shelf with the newest run among `directory` and what lies directly below it.
Shelf newest_shelf(const fs::path& directory) {
  Shelf best = shelf_of(directory);
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (!it->is_directory(ignored)) continue;
    Shelf shelf = shelf_of(it->path());
    if (shelf.empty()) continue;
    const auto start = [](const Shelf& s) { return s.newest() != nullptr ? s.newest()->second.first_start_ns : 0; };
    if (best.empty() || start(shelf) > start(best)) best = std::move(shelf);
  }
  return best;
}

// A directory two levels below that holds a run, for who looks a level too high; empty: none was seen among the first
// few hundred.
fs::path run_further_down(const fs::path& directory) {
  constexpr int kMost = 200;
  std::error_code error;
  fs::directory_iterator it(directory, error);
  for (int seen = 0; !error && it != fs::directory_iterator() && seen < kMost; it.increment(error), ++seen) {
    std::error_code ignored;
    if (!it->is_directory(ignored)) continue;
    if (const Shelf shelf = newest_shelf(it->path()); !shelf.empty()) return shelf.directory.lexically_normal();
  }
  return {};
}

RunFiles files_of(const Shelf& shelf) {
  RunFiles files;
  files.directory = shelf.directory;
  files.logs = shelf.unknown;
  if (const auto* newest = shelf.newest(); newest != nullptr) {
    files.logs.insert(files.logs.end(), newest->second.logs.begin(), newest->second.logs.end());
  }
  std::sort(files.logs.begin(), files.logs.end());
  if (shelf.runs.size() > 1) {
    const std::size_t others = shelf.runs.size() - 1;
    files.warnings.push_back(shelf.directory.string() + " also holds the logs of " + std::to_string(others) +
                             (others == 1 ? " earlier run" : " earlier runs") +
                             "; this is the newest (for another one, name one of its logs)");
  }
  return files;
}

}  // namespace

RunFiles find_run(const std::optional<fs::path>& where) {
  const fs::path start = where.value_or(".");
  std::error_code error;
  const fs::file_status status = fs::status(start, error);
  if (status.type() == fs::file_type::not_found) {
    throw LogError(Fault::Unreadable, start.string() + " does not exist");
  }
  if (error) throw LogError(Fault::Unreadable, start.string() + " cannot be examined: " + error.message());
  if (status.type() != fs::file_type::directory) {
    const fs::path parent = start.parent_path();
    return {parent.empty() ? "." : parent, {start}, {}};
  }
  if (fs::directory_iterator probe(start, error); error) {
    throw LogError(Fault::Unreadable, start.string() + " cannot be opened: " + error.message());
  }
  Shelf shelf = where ? shelf_of(start) : newest_shelf(start);
  if (shelf.empty()) shelf = newest_shelf(start);
  if (shelf.empty()) {
    const fs::path further = run_further_down(start);
    throw LogError(Fault::Unreadable,
                   (where ? start.string() : "the current directory") +
                       " holds no logs (*.proflog), nor does a directory in it; " +
                       (further.empty() ? "prof run COMMAND records a run" : "there is a run in " + further.string()));
  }
  return files_of(shelf);
}

}  // namespace prof::read
