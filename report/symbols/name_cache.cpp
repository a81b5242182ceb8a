#include "report/symbols/name_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <random>
#include <system_error>
#include <vector>

namespace prof::symbols {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostOfOne = std::uintmax_t{64} << 20;

std::string contents(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  const std::uintmax_t bytes = fs::file_size(path, error);
  if (error || bytes > kMostOfOne) return {};
  std::string all(bytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(all.data(), static_cast<std::streamsize>(bytes));
  all.resize(static_cast<std::size_t>(file.gcount()));
  return all;
}

// Its users alone may look into it, as into a run.
bool make_private(const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return true;
  if (!fs::create_directories(folder, error)) return false;
  fs::permissions(folder, fs::perms::owner_all, error);
  return !error;
}

}  // namespace

NameCache::NameCache(const fs::path& folder, const std::string& key) : folder_(folder), key_(key) {
  if (!folder.empty()) file_ = folder / fmt::format("{:016x}.names", NameFile::sum_of(key));
}

NameFile NameCache::read() const {
  if (file_.empty()) return {};
  try {
    NameFile names(contents(file_), key_);
    std::error_code ignored;
    fs::last_write_time(file_, fs::file_time_type::clock::now(), ignored);  // for prune()
    return names;
  } catch (const std::exception&) {
    return {};
  }
}

void NameCache::write(const KnownNames& names) const {
  if (file_.empty()) return;
  try {
    const std::string bytes = NameFile::encode(names, key_);
    if (bytes.size() > kMostOfOne / 2 || !make_private(folder_)) return;
    const fs::path aside =
        folder_ / fmt::format(".{}.{}.{:x}", file_.filename().string(), ::getpid(), std::random_device()());
    std::ofstream out(aside, std::ios::binary);
    out << bytes;
    out.close();
    std::error_code error;
    if (out) fs::rename(aside, file_, error);
    if (!out || error) fs::remove(aside, error);
    static std::atomic<bool> pruned{false};  // once in a process is enough
    if (!pruned.exchange(true)) prune(folder_);
  } catch (const std::exception&) {
  }
}

void NameCache::prune(const fs::path& folder, std::uintmax_t most) {
  struct File {
    fs::file_time_type used;
    fs::path path;
    std::uintmax_t bytes;
  };
  std::vector<File> files;
  std::error_code error;
  std::uintmax_t sum = 0;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    const std::uintmax_t bytes = at->file_size(gone);
    const auto used = at->last_write_time(gone);
    if (gone) continue;
    files.push_back({used, at->path(), bytes});
    sum += bytes;
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.used < b.used; });
  for (const File& file : files) {
    if (sum <= most) return;
    fs::remove(file.path, error);
    sum -= file.bytes;
  }
}

fs::path default_cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value != nullptr && value[0] == '/' ? value : "");
  };
  if (const fs::path cache = variable("XDG_CACHE_HOME"); !cache.empty()) return cache / "libprof" / "names";
  const fs::path home = variable("HOME");
  return home.empty() ? fs::path() : home / ".cache" / "libprof" / "names";
}

}  // namespace prof::symbols
