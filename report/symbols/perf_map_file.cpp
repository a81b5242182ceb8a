// Which perf-PID.map is the process's own: /tmp is everybody's, and process ids come again.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "agent/contract/format.hpp"
#include "report/symbols/jit_dump.hpp"
#include "report/symbols/perf_map.hpp"
#include "report/symbols/pypy_log.hpp"

namespace prof::symbols {
namespace {

constexpr std::int64_t kNs = 1'000'000'000;
constexpr std::int64_t kLargest = std::int64_t{512} << 20;
// File systems note times by the tick of the clock. The end is noted when the process is gone; of a killed one it may
// be the last sign of life.
constexpr std::int64_t kAfterTheEnd = 2 * kNs, kBeforeTheStart = kNs / 20;

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

std::filesystem::path perf_map_copy(const std::filesystem::path& log) {
  return std::filesystem::path(log).replace_extension(".perf-map");
}

std::optional<PerfMapText> perf_map_text(const std::filesystem::path& path, const std::filesystem::path& log,
                                         std::int64_t from_ns, std::int64_t to_ns) {
  const Descriptor descriptor(path);
  struct stat file {};
  if (descriptor.number < 0 || fstat(descriptor.number, &file) != 0) return {};
  if (!S_ISREG(file.st_mode) || file.st_size == 0 || file.st_size > kLargest) return {};
  if (file.st_uid != geteuid() && file.st_uid != owner_of(log)) return {};
  PerfMapText out;
  out.written_ns = file.st_mtim.tv_sec * kNs + file.st_mtim.tv_nsec;
  if (out.written_ns < from_ns || out.written_ns > to_ns) return {};
  char part[1 << 16];
  while (out.text.size() < static_cast<std::size_t>(kLargest)) {
    const ssize_t got = ::read(descriptor.number, part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    out.text.append(part, static_cast<std::size_t>(got));
  }
  if (is_jit_dump(out.text)) out.text = map_of_jit_dump(out.text);
  if (is_pypy_log(out.text)) out.text = map_of_pypy_log(out.text);
  return out;
}

std::optional<PerfMapText> longest_list(std::uint32_t pid, const std::filesystem::path& folder,
                                        const std::filesystem::path& started_in, const std::filesystem::path& log,
                                        std::int64_t from_ns, std::int64_t to_ns) {
  const std::string dump = "jit-" + std::to_string(pid) + ".dump";
  std::optional<PerfMapText> out;
  const std::string of_pypy = log::kPypyListBegin + std::to_string(pid) + log::kPypyListEnd;
  for (const auto& path :
       {folder / perf_map_name(pid), folder / dump, started_in / dump, log.parent_path() / of_pypy}) {
    if (!path.is_absolute()) continue;  // where it was started is not known
    auto found = perf_map_text(path, log, from_ns, to_ns);
    if (found && (!out || found->text.size() > out->text.size())) out = std::move(found);
  }
  return out;
}

std::vector<std::uint64_t> nameless_addresses(const model::Process& process) {
  std::vector<std::uint64_t> out;
  for (const model::Frame& frame : process.tree.frames) {
    if (frame.kind == model::Frame::Kind::Anonymous && frame.name == model::kNoName) out.push_back(frame.address);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string map_text_of(const model::Process& process, std::int64_t next_ns, const std::filesystem::path& folder) {
  // The run's folder is believed: who copies or unpacks a run makes new times.
  auto copy = perf_map_text(perf_map_copy(process.log_path), process.log_path, INT64_MIN, INT64_MAX);
  const std::int64_t start = model::to_signed(process.start_realtime_ns);
  const std::int64_t end = model::saturated_sum(start, model::to_signed(process.wall_ns()));
  const std::int64_t last = std::min(next_ns, process.end_known ? model::saturated_sum(end, kAfterTheEnd) : INT64_MAX);
  auto there = longest_list(process.pid, folder, process.cwd, process.log_path, start - kBeforeTheStart, last);
  if (there && (!copy || there->text.size() > copy->text.size())) return std::move(there->text);
  return copy ? std::move(copy->text) : std::string();
}

}  // namespace prof::symbols
