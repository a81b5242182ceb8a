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

  // Runs a command of the shell in it, without output; whether it succeeded. What lies in it is best named relative to
  // it: its path may have blanks.
  bool run(const std::string& command) const;
  // Compiles its file source.cpp, by $CXX or c++, with these options; whether that worked.
  bool compile(const std::string& options) const;

 private:
  std::filesystem::path path_;
};

}  // namespace prof::test
