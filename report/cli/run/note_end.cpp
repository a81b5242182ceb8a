#include "report/cli/run/note_end.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <ctime>
#include <string>
#include <system_error>

#include "agent/contract/format.hpp"
#include "report/cli/run/log_header.hpp"

namespace prof::cli {
namespace {

namespace fs = std::filesystem;

class LogFile {
 public:
  explicit LogFile(const fs::path& path) : fd_(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)) {}
  ~LogFile() {
    if (fd_ >= 0) close(fd_);
  }
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  // Whether it is a log of that process, in a version that has room for its end.
  bool is_log_of(int pid, log::Header& header) const {
    const auto read = header_of(fd_);
    if (!read || read->pid != static_cast<std::uint32_t>(pid)) return false;
    header = *read;
    return true;
  }

  template <class T>
  bool store(std::size_t offset, T value) const {
    return pwrite(fd_, &value, sizeof value, static_cast<off_t>(offset)) == sizeof value;
  }

 private:
  int fd_;
};

// An older run's log of the same pid may lie beside it: what began last is what ended now.
fs::path last_log_of(int pid, const fs::path& directory) {
  const std::string prefix = std::to_string(pid) + '.';
  fs::path last;
  std::uint64_t started = 0;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path& path = entry->path();
    if (path.extension() != log::kFileSuffix || path.filename().string().rfind(prefix, 0) != 0) continue;
    log::Header header;
    if (!LogFile(path).is_log_of(pid, header) || header.start_realtime_ns < started) continue;
    started = header.start_realtime_ns;
    last = path;
  }
  return last;
}

}  // namespace

void note_end(const fs::path& directory, const Outcome& outcome) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const LogFile file(last_log_of(outcome.pid, directory));
  log::Header header;
  if (!file.is_log_of(outcome.pid, header)) return;
  const auto ns = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
  // Readers look at the time first.
  if (file.store(offsetof(log::Header, wait_status), outcome.status)) file.store(offsetof(log::Header, waited_ns), ns);
}

}  // namespace prof::cli
