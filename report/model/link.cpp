#include "report/model/link.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace prof::model {
namespace {

using Identity = std::tuple<std::array<std::uint8_t, 16>, std::uint32_t, std::uint64_t>;

Identity identity_of(const Process& process) { return {process.boot_id, process.pid, process.start_ticks}; }

void link_images(std::vector<Process>& processes) {
  std::map<Identity, std::size_t> last_image;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const auto [found, is_first] = last_image.try_emplace(identity_of(processes[i]), i);
    if (is_first) continue;
    Process& previous = processes[found->second];
    previous.next_image = i;
    processes[i].previous_image = found->second;
    processes[i].image = previous.image + 1;
    found->second = i;
  }
}

// The image of `pid` that was running when `child` started: the last one that began before.
std::optional<std::size_t> image_of_pid(const std::multimap<std::uint32_t, std::size_t>& by_pid, std::uint32_t pid,
                                        std::size_t child) {
  std::optional<std::size_t> best;
  const auto [begin, end] = by_pid.equal_range(pid);
  for (auto it = begin; it != end; ++it) {
    if (it->second < child && (!best || it->second > *best)) best = it->second;
  }
  return best;
}

void link_parents(std::vector<Process>& processes) {
  std::unordered_map<std::uint64_t, std::size_t> by_log_id;
  std::multimap<std::uint32_t, std::size_t> by_pid;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (processes[i].log_id != 0) by_log_id.try_emplace(processes[i].log_id, i);
    by_pid.emplace(processes[i].pid, i);
  }
  for (std::size_t i = 0; i < processes.size(); ++i) {
    Process& process = processes[i];
    if (process.previous_image) {
      process.parent = processes[*process.previous_image].parent;
      continue;
    }
    const auto forker = by_log_id.find(process.parent_log_id);
    if (process.parent_log_id != 0 && forker != by_log_id.end() && forker->second < i &&
        identity_of(processes[forker->second]) != identity_of(process)) {
      process.parent = forker->second;
    } else if (process.ppid != process.pid) {
      process.parent = image_of_pid(by_pid, process.ppid, i);
    }
  }
}

}  // namespace

void link_processes(std::vector<Process>& processes) {
  std::stable_sort(processes.begin(), processes.end(), [](const Process& a, const Process& b) {
    return std::tie(a.start_realtime_ns, a.pid) < std::tie(b.start_realtime_ns, b.pid);
  });
  link_images(processes);
  link_parents(processes);
}

}  // namespace prof::model
