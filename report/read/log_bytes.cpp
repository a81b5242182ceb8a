#include "report/read/log_bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "report/read/log_error.hpp"

namespace prof::read {
namespace {

class File {
 public:
  explicit File(const std::filesystem::path& path) {
    // Without O_NONBLOCK, opening a pipe that somebody put among the logs would wait for ever.
    fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd_ < 0) fail("cannot be opened");
    if (::fstat(fd_, &stat_) != 0) fail("cannot be examined");
    if (!S_ISREG(stat_.st_mode)) {
      ::close(fd_);
      throw LogError(Fault::Unreadable, "is not a regular file");
    }
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::close(fd_); }

  std::uint64_t size() const { return static_cast<std::uint64_t>(stat_.st_size); }
  std::uint64_t disk_bytes() const { return static_cast<std::uint64_t>(stat_.st_blocks) * 512; }

  // The first `length` bytes, or as many as there are.
  std::vector<std::byte> read(std::uint64_t length) const {
    std::vector<std::byte> bytes(std::min(length, size()));
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t got = ::pread(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw LogError(Fault::Unreadable, "cannot be read: " + std::generic_category().message(errno));
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    bytes.resize(done);
    return bytes;
  }

 private:
  [[noreturn]] void fail(const char* what) {
    const int error = errno;
    if (fd_ >= 0) ::close(fd_);
    throw LogError(Fault::Unreadable, std::string(what) + ": " + std::generic_category().message(error));
  }

  int fd_ = -1;
  struct stat stat_ {};
};

}  // namespace

log::Header checked_header(Bytes bytes) {
  const auto header = load<log::Header>(bytes, 0);
  if (header.magic != log::kMagic) {
    // The agent stores the magic last.
    if (header.magic == 0) throw LogError(Fault::Empty, "holds nothing yet");
    if (header.magic == __builtin_bswap64(log::kMagic)) {
      throw LogError(Fault::OtherOrder, "was written on a machine of the other byte order");
    }
    throw LogError(Fault::NotALog, "is not a log of libprof");
  }
  if (bytes.size() < log::kHeaderBytes) throw LogError(Fault::Truncated, "is cut off within its header");
  if (header.byte_order != log::kByteOrder) {
    throw LogError(Fault::OtherOrder, "was written on a machine of the other byte order");
  }
  if (header.major != log::kMajor) {
    throw LogError(Fault::OtherVersion, "has log format " + std::to_string(header.major) + "." +
                                            std::to_string(header.minor) + "; this prof reads " +
                                            std::to_string(log::kMajor) + ".x: use the prof of that libprof.so");
  }
  const bool sane = header.granule == log::kGranule && header.header_bytes >= log::kHeaderBytes &&
                    header.header_bytes % log::kGranule == 0;
  if (!sane) throw LogError(Fault::BadHeader, "has a damaged header");
  return header;
}

log::Header read_header(const std::filesystem::path& path) {
  const File file(path);
  return checked_header(file.read(log::kHeaderBytes));
}

LogBytes read_log_bytes(const std::filesystem::path& path) {
  const File file(path);
  LogBytes bytes;
  bytes.disk_bytes = file.disk_bytes();
  const log::Header header = checked_header(file.read(log::kHeaderBytes));
  const auto used = [](const log::Header& h) {
    return std::min(kMostBytes, std::max<std::uint64_t>(h.tail, h.header_bytes));
  };
  if (header.end == log::End::Running) bytes.earlier_copy = file.read(used(header));
  // The log may have grown meanwhile.
  bytes.later_copy = file.read(used(checked_header(file.read(log::kHeaderBytes))));
  checked_header(bytes.later_copy);
  return bytes;
}

}  // namespace prof::read
