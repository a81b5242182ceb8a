// Which perf-PID.map is the process's own: /tmp is everybody's, and process ids come again.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "report/symbols/perf_map.hpp"

namespace prof::symbols {
namespace {

constexpr std::int64_t kNs = 1'000'000'000;
constexpr std::int64_t kLargest = std::int64_t{256} << 20;
// A runtime may write the map when it ends, and a copy of it is made after that.
constexpr std::int64_t kAfterTheEnd = 60 * kNs, kBeforeTheStart = kNs;

std::optional<std::uint32_t> owner_of(const std::filesystem::path& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return {};
  return file.st_uid;
}

struct Descriptor {
  explicit Descriptor(const std::filesystem::path& path)
      : number(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {}
  ~Descriptor() {
    if (number >= 0) close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number;
};

}  // namespace

std::string perf_map_name(std::uint32_t pid) { return "perf-" + std::to_string(pid) + ".map"; }

std::optional<std::string> perf_map_text(const std::filesystem::path& path, std::int64_t from_ns, std::int64_t to_ns,
                                         std::optional<std::uint32_t> also_of) {
  const Descriptor descriptor(path);
  struct stat file {};
  if (descriptor.number < 0 || fstat(descriptor.number, &file) != 0 || !S_ISREG(file.st_mode) ||
      file.st_size > kLargest)
    return {};
  if (file.st_uid != geteuid() && file.st_uid != also_of) return {};
  const std::int64_t written = file.st_mtim.tv_sec * kNs + file.st_mtim.tv_nsec;
  if (written < from_ns || written > to_ns) return {};
  std::string text;
  char part[1 << 16];
  while (text.size() < static_cast<std::size_t>(kLargest)) {
    const ssize_t got = ::read(descriptor.number, part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(part, static_cast<std::size_t>(got));
  }
  return text;
}

PerfMap perf_map_of(const model::Process& process, std::span<const std::filesystem::path> folders) {
  const std::int64_t start = model::to_signed(process.start_realtime_ns);
  const std::int64_t end = model::saturated_sum(start, model::to_signed(process.wall_ns()));
  const std::int64_t last = process.end_known ? model::saturated_sum(end, kAfterTheEnd) : INT64_MAX;
  for (const std::filesystem::path& folder : folders) {
    const auto text =
        perf_map_text(folder / perf_map_name(process.pid), start - kBeforeTheStart, last, owner_of(process.log_path));
    if (text) return PerfMap(*text);
  }
  return {};
}

}  // namespace prof::symbols
