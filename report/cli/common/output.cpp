#include "report/cli/common/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "agent/contract/format.hpp"
#include "report/cli/common/messages.hpp"
#include "report/cli/common/usage_error.hpp"

namespace prof::cli {

namespace {

// Read without waiting: a pipe has no beginning to look at.
bool is_log(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  std::uint64_t begin = 0;
  const bool read = pread(file, &begin, sizeof(begin), 0) == sizeof(begin);
  close(file);
  return read && begin == log::kMagic;
}

}  // namespace

Output::Output(const std::optional<std::filesystem::path>& path) {
  if (!path || *path == "-") return;
  path_ = *path;
  if (is_log(path_))
    throw UsageError(
        fmt::format("{} is a log of libprof, and would be lost: say another file with -o", path_.string()));
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
