#include "agent/log/processors.hpp"

#include <cstdint>
#include <cstring>
#include <string_view>

#include "agent/core/pages.hpp"
#include "agent/core/raw.hpp"

namespace prof::log {
namespace {

constexpr std::uint64_t kUnlimited = UINT64_MAX;
constexpr std::string_view kGroups = "/sys/fs/cgroup";

unsigned allowed_processors() {
  // Of the 8192 processors that Linux has at most: it refuses a mask that is shorter than its own. Static, like the
  // other rooms here: this may run on the small stack of a signal handler.
  PROF_LARGE static std::uint64_t mask[128];
  const long bytes = raw::call(SYS_sched_getaffinity, 0, sizeof(mask), raw::word(mask));
  unsigned count = 0;
  for (long i = 0; i < bytes / 8; ++i) count += static_cast<unsigned>(__builtin_popcountll(mask[i]));
  return count;
}

// The number at the start of `text`, which it is cut off; none: kUnlimited, as of "max" and "-1".
std::uint64_t take_number(std::string_view& text) {
  std::uint64_t value = 0;
  std::size_t n = 0;
  for (; n < text.size() && text[n] >= '0' && text[n] <= '9' && value < (kUnlimited >> 8); ++n) {
    value = value * 10 + static_cast<std::uint64_t>(text[n] - '0');
  }
  if (n == 0) return kUnlimited;
  text.remove_prefix(n);
  return value;
}

std::string_view file_text(const TextBuilder& path, char* room, std::size_t bytes) {
  if (path.cut()) return {};
  return {room, raw::slurp(path.c_str(), room, bytes)};
}

// In thousandths of a processor.
std::uint64_t share_of(std::uint64_t quota, std::uint64_t period) {
  if (quota == kUnlimited || period == kUnlimited || period == 0) return kUnlimited;
  return quota / period * 1000 + quota % period * 1000 / period;
}

// The smallest quota of the group at `path` and those around it.
std::uint64_t group_quota(std::string_view path) {
  std::uint64_t least = kUnlimited;
  for (;;) {
    char room[64];
    PROF_LARGE static char name[600];
    TextBuilder file(name, sizeof(name));
    file << kGroups << path << "/cpu.max";
    std::string_view text = file_text(file, room, sizeof(room));  // "150000 100000"
    const std::uint64_t quota = take_number(text);
    if (quota != kUnlimited && !text.empty()) {
      text.remove_prefix(1);
      const std::uint64_t share = share_of(quota, take_number(text));
      if (share < least) least = share;
    }
    if (path.empty()) return least;
    while (!path.empty() && path.back() != '/') path.remove_suffix(1);
    if (!path.empty()) path.remove_suffix(1);
  }
}

// Of the second generation of control groups, and of the first one where it is mounted as usual.
std::uint64_t quota() {
  PROF_LARGE static char room[2048];
  const std::string_view groups(room, raw::slurp("/proc/self/cgroup", room, sizeof(room)));
  std::string_view path;
  for (std::size_t at = 0; at < groups.size();) {
    const auto* end = static_cast<const char*>(std::memchr(groups.data() + at, '\n', groups.size() - at));
    const std::size_t next = end != nullptr ? static_cast<std::size_t>(end - groups.data()) : groups.size();
    const std::string_view line(groups.data() + at, next - at);
    if (line.starts_with("0::/")) path = from(line, 3);
    at = next + 1;
  }
  if (path == "/") path = {};
  const std::uint64_t second = group_quota(path);
  if (second != kUnlimited) return second;
  char quota_room[32], period_room[32];
  Text<100> quota_file, period_file;
  quota_file << kGroups << "/cpu/cpu.cfs_quota_us";
  period_file << kGroups << "/cpu/cpu.cfs_period_us";
  std::string_view quota_text = file_text(quota_file, quota_room, sizeof(quota_room));
  if (quota_text.empty()) return kUnlimited;
  std::string_view period_text = file_text(period_file, period_room, sizeof(period_room));
  return share_of(take_number(quota_text), take_number(period_text));
}

}  // namespace

void describe_processors(TextBuilder& text) {
  if (const unsigned allowed = allowed_processors(); allowed > 0) text << "allowed=" << std::uint32_t{allowed};
  if (const std::uint64_t share = quota(); share != kUnlimited) {
    text << "\nquota=" << share / 1000 << '.';
    text.decimal(share % 1000, 3);
  }
}

}  // namespace prof::log
