// Where a report or an export goes: stdout or a file, written piece by piece.
#pragma once

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace prof::cli {

// The file is made when the first piece comes: a report that fails leaves none behind.
class Output {
 public:
  // None or "-": stdout. Throws UsageError where the file is there and is a log.
  explicit Output(const std::optional<std::filesystem::path>& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  bool to_stdout() const { return path_.empty(); }
  void write(std::string_view piece);  // what fails is told by finish()

  // Closes. The exit status: kDone, or kUnusable after a message when not all could be written; then a file that was
  // not there before is not there either.
  int finish();

 private:
  void open();

  std::filesystem::path path_;  // empty: stdout
  std::FILE* file_ = nullptr;
  int error_ = 0;      // errno of the first failure
  bool made_ = false;  // the file was not there before
};

}  // namespace prof::cli
