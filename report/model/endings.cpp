#include "report/model/endings.hpp"

#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>

namespace prof::model {
namespace {

std::string first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

bool same_boot(const Process& process, const Host& host) {
  const std::string text = first_line(host.proc / "sys/kernel/random/boot_id");
  std::array<std::uint8_t, 16> boot{};
  std::size_t digits = 0;
  for (const char c : text) {
    const int value = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (value < 0 || digits >= 2 * boot.size()) continue;
    boot[digits / 2] = static_cast<std::uint8_t>(boot[digits / 2] << 4 | value);
    ++digits;
  }
  return digits == 2 * boot.size() && boot == process.boot_id;
}

// Field 22 of /proc/PID/stat; the second one may hold blanks and parentheses. 0: no such process.
std::uint64_t start_ticks_of(std::uint32_t pid, const Host& host, char& state) {
  const std::string line = first_line(host.proc / std::to_string(pid) / "stat");
  const std::size_t comm_end = line.rfind(')');
  if (comm_end == std::string::npos) return 0;
  std::istringstream fields(line.substr(comm_end + 1));
  std::string field;
  fields >> state;
  for (int i = 4; i < 22; ++i) fields >> field;
  std::uint64_t ticks = 0;
  fields >> ticks;
  return fields ? ticks : 0;
}

// VmHWM of /proc/PID/status in bytes; 0: it does not say.
std::uint64_t highest_rss_of(std::uint32_t pid, const Host& host) {
  std::ifstream status(host.proc / std::to_string(pid) / "status");
  constexpr std::string_view kMost = "VmHWM:";
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(kMost, 0) == 0) return std::strtoull(line.c_str() + kMost.size(), nullptr, 10) * 1024;
  }
  return 0;
}

void settle_by_status(Process& process, std::int32_t status) {
  if (WIFEXITED(status)) {
    process.ending = Ending::Exit;
    process.exit_code = WEXITSTATUS(status);
  } else if (WIFSIGNALED(status)) {
    process.ending = Ending::Killed;
    process.exit_code = -WTERMSIG(status);
  }
}

// Ends that anybody in the run waited for, by pid.
using Reaped = std::multimap<std::uint32_t, Child>;

const Child* reaped(const Reaped& all, const Process& process) {
  const Child* best = nullptr;
  const auto [begin, end] = all.equal_range(process.pid);
  for (auto it = begin; it != end; ++it) {
    const Child& child = it->second;
    const bool ended = WIFEXITED(child.status) || WIFSIGNALED(child.status);
    if (!ended || child.monotonic_ns < process.start_monotonic_ns) continue;
    if (best == nullptr || child.monotonic_ns < best->monotonic_ns) best = &child;
  }
  return best;
}

void settle(Process& process, const Reaped& all, const Host& host) {
  if (process.next_image) {
    process.ending = Ending::Exec;
    process.exit_code.reset();
    return;
  }
  const bool noted = process.ending != Ending::Unknown;
  if (const Child* child = reaped(all, process); child != nullptr) {
    settle_by_status(process, child->status);
    if (!noted) process.end_monotonic_ns = std::max(process.end_monotonic_ns, child->monotonic_ns);
    return;
  }
  if (noted) return;
  if (is_alive(process, host)) {
    process.ending = Ending::Running;
    process.end_monotonic_ns = std::max(process.end_monotonic_ns, host.now_monotonic_ns);
    if (const std::uint64_t rss = highest_rss_of(process.pid, host); rss != 0)
      process.peak_rss_bytes = std::max(process.peak_rss_bytes.value_or(0), rss);
    return;
  }
  process.end_known = false;
  if (same_boot(process, host)) process.ending = Ending::Killed;
}

void settle_threads(Process& process) {
  for (Thread& thread : process.threads) {
    thread.running = thread.running && process.ending == Ending::Running;
    if (thread.end_monotonic_ns == 0) thread.end_monotonic_ns = process.end_monotonic_ns;
    thread.end_monotonic_ns = std::max(thread.end_monotonic_ns, thread.start_monotonic_ns);
  }
}

}  // namespace

Host Host::now() {
  Host host;
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  host.now_monotonic_ns =
      static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
  return host;
}

bool is_alive(const Process& process, const Host& host) {
  char state = 0;
  const std::uint64_t ticks = start_ticks_of(process.pid, host, state);
  const bool dead = state == 'Z' || state == 'X';
  return ticks != 0 && ticks == process.start_ticks && !dead && same_boot(process, host);
}

void settle_endings(std::vector<Process>& processes, const Host& host) {
  Reaped all;
  for (const Process& process : processes) {
    for (const Child& child : process.children) all.emplace(child.pid, child);
    if (process.waited) all.emplace(process.pid, *process.waited);
  }
  for (Process& process : processes) {
    settle(process, all, host);
    settle_threads(process);
  }
}

}  // namespace prof::model
