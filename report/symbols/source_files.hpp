// The program's source, read where the report runs. It may have moved or changed since the run, or never been a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/model/profile.hpp"

namespace prof::symbols {

struct SourceFile {
  bool readable = false;
  std::filesystem::path path;      // where it was found
  std::vector<std::string> lines;  // lines[0] is line 1; without line ends, tabs expanded
  bool newer = false;              // changed after the run began: lines may have moved
};

class SourceFiles {
 public:
  // Relative names are looked for where the run's processes were started, then here, and below `roots`; those of Java
  // and its like also in java_folders(). There, too, ends of at least two parts of names from the root that are not on
  // this machine: "/build/src/sum.cpp", compiled in a container, as "src/sum.cpp". The run is referred to.
  // `allowed`: which files may be read, where not all may.
  using Allowed = std::function<bool(const std::filesystem::path&)>;
  explicit SourceFiles(const model::Run& run, Allowed allowed = {},
                       const std::vector<std::filesystem::path>& roots = {});

  // `name` as the code has it. Each file is read once; only regular files, and of huge ones nothing.
  const SourceFile& file(const std::string& name);

  // The names that were asked for since the last call, in vain.
  std::set<std::string> take_missing() { return std::exchange(missing_, {}); }

  // The text of a line, or nothing where it is not known.
  std::string line(const std::string& name, std::uint32_t number);

 private:
  void look_for(const std::string& name, SourceFile& source);
  bool read(const std::filesystem::path& path, SourceFile& source);
  bool read_end_of(const std::filesystem::path& name, SourceFile& source);

  const model::Run* run_;
  Allowed allowed_;
  std::vector<std::filesystem::path> folders_;
  std::optional<std::vector<std::filesystem::path>> java_folders_;  // none: they were not needed so far
  std::filesystem::file_time_type run_start_;
  std::map<std::string, SourceFile> files_;
  std::set<std::string> missing_;
};

// The last line of a Python function: that of the block below its `def`, and at least `known`, but never beyond the
// file's end. `first` is the line of the code's first decorator or of its `def`. Lines count from 1. Not for code
// without a `def` (a lambda, a module).
std::uint32_t last_line_of_function(const std::vector<std::string>& lines, std::uint32_t first, std::uint32_t known);

}  // namespace prof::symbols
