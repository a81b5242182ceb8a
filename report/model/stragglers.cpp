#include "report/model/stragglers.hpp"

#include <algorithm>
#include <thread>
#include <vector>

namespace prof::model {
namespace {

constexpr std::uint64_t kJustNowNs = 2'000'000'000;
constexpr std::chrono::milliseconds kBetweenLooks{5};

// Whether the process that began first, whatever it has become by exec, ended a moment ago.
bool first_ended_just_now(const Run& run, const Host& host) {
  const std::uint32_t pid = run.processes.front().pid;
  std::uint64_t end = 0;
  for (const Process& process : run.processes) {
    if (process.pid != pid) continue;
    if (process.ending == Ending::Running) return false;
    end = std::max(end, process.end_monotonic_ns);
  }
  return end + kJustNowNs > host.now_monotonic_ns && end <= host.now_monotonic_ns;
}

}  // namespace

bool wait_for_stragglers(const Run& run, const Host& host, std::chrono::milliseconds longest) {
  if (run.processes.empty() || !first_ended_just_now(run, host)) return false;
  std::vector<const Process*> alive;
  for (const Process& process : run.processes) {
    if (process.ending == Ending::Running) alive.push_back(&process);
  }
  const std::size_t all = alive.size();
  const auto until = std::chrono::steady_clock::now() + longest;
  while (!alive.empty() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(kBetweenLooks);
    const auto ended = [&](const Process* process) { return !is_alive(*process, host); };
    alive.erase(std::remove_if(alive.begin(), alive.end(), ended), alive.end());
  }
  return alive.size() < all;
}

}  // namespace prof::model
