// A file that is there only while it is made.
#pragma once

#include <filesystem>

namespace prof::cli {

// Removed in the end, unless it was moved, and by SIGINT, SIGTERM and SIGHUP, which end the program as ever. One at a
// time; not for several threads.
class UnfinishedFile {
 public:
  // `path` with ".PID.unfinished" behind it; what is there of that name is removed.
  explicit UnfinishedFile(const std::filesystem::path& path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace prof::cli
