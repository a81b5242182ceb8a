// Names that were looked up before. To read the symbols of a library of hundreds of MiB takes a second, and whoever
// looks at a run looks at it from several sides: what one report has named, the next need not look up.
//
// A file for each module and what names it (its build, its debug file's, and the build of prof itself), in a folder of
// the user's; written aside and put in place whole, so that reports may run side by side. What is damaged counts as not
// there. All of them together are held to a size: the ones that were used last stay.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "report/symbols/name_file.hpp"

namespace prof::symbols {

class NameCache {
 public:
  static constexpr std::uintmax_t kMostBytes = std::uintmax_t{256} << 20;

  // `key` says all that the names depend on. An empty folder: nothing is kept.
  NameCache(const std::filesystem::path& folder, const std::string& key);

  // Finds nothing where it cannot be read. No exception leaves these.
  NameFile read() const;
  void write(const KnownNames& names) const;

  // Removes files of the folder, those first that were not used for longest, until they have no more than `most` bytes.
  static void prune(const std::filesystem::path& folder, std::uintmax_t most = kMostBytes);

 private:
  std::filesystem::path folder_, file_;
  std::string key_;
};

// $XDG_CACHE_HOME/libprof/names, or ~/.cache/libprof/names; empty where the environment names neither.
std::filesystem::path default_cache_folder();

}  // namespace prof::symbols
