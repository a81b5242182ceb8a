// A directory that lives as long as the object.
#pragma once

#include <filesystem>
#include <string>

namespace prof::test {

class TempDir {
 public:
  // Makes an empty directory below the system's temporary directory; throws if that fails.
  TempDir();
  // Removes the directory with all it holds, also where a test took the permissions away.
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace prof::test
