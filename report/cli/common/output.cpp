#include "report/cli/common/output.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "report/cli/common/messages.hpp"
#include "report/cli/common/usage_error.hpp"

namespace prof::cli {

Output::Output(const std::optional<std::filesystem::path>& path) {
  if (path && *path != "-") path_ = *path;
}

Output::~Output() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

void Output::open() {
  made_ = !to_stdout() && access(path_.c_str(), F_OK) != 0;
  file_ = to_stdout() ? stdout : std::fopen(path_.c_str(), "wb");
  if (file_ == nullptr) error_ = errno;
}

void Output::write(std::string_view piece) {
  if (file_ == nullptr && error_ == 0) open();
  if (error_ != 0) return;
  if (std::fwrite(piece.data(), 1, piece.size(), file_) != piece.size()) error_ = errno;
}

int Output::finish() {
  write({});
  if (file_ != nullptr) {
    const int closed = file_ == stdout ? std::fflush(stdout) : std::fclose(file_);
    if (closed != 0 && error_ == 0) error_ = errno;
    file_ = nullptr;
  }
  if (error_ == 0) return kDone;
  // What is half a file is none.
  struct stat file {};
  if (made_ && lstat(path_.c_str(), &file) == 0 && S_ISREG(file.st_mode)) unlink(path_.c_str());
  const std::string where = to_stdout() ? "the report" : path_.string();
  say_error(fmt::format("{} cannot be written: {}", where, std::strerror(error_)));
  return kUnusable;
}

}  // namespace prof::cli
