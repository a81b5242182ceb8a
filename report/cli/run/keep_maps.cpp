#include "report/cli/run/keep_maps.hpp"

#include <charconv>
#include <fstream>
#include <set>
#include <string>
#include <system_error>

#include "agent/contract/format.hpp"
#include "report/symbols/perf_map.hpp"

namespace prof::cli {

namespace fs = std::filesystem;

void keep_perf_maps(const fs::path& directory, std::int64_t began_ns) {
  std::set<std::uint32_t> pids;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() != log::kFileSuffix) continue;
    const std::string name = entry->path().filename().string();
    std::uint32_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec == std::errc()) pids.insert(pid);
  }
  for (const std::uint32_t pid : pids) {
    const std::string name = symbols::perf_map_name(pid);
    const auto text = symbols::perf_map_text(fs::path(symbols::kPerfMapFolder) / name, began_ns, INT64_MAX);
    if (!text) continue;
    std::ofstream copy(directory / name, std::ios::binary);
    copy << *text;
    copy.close();
    if (!copy) fs::remove(directory / name, error);
  }
}

}  // namespace prof::cli
