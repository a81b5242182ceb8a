#include "report/findings/rules/shared/shell_lines.hpp"

#include <algorithm>
#include <map>

#include "report/findings/places.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"

namespace prof::findings {

std::vector<ShellLine> waited_lines(const Evidence& evidence, const Whole& shell) {
  const model::Thread* const thread = program_thread(evidence, shell.last_image);
  if (thread == nullptr) return {};
  std::map<std::uint32_t, ShellLine> lines;  // by location
  for (const StackTime& time : stack_times(evidence.run().processes[shell.last_image], thread->slot)) {
    const bool waits = time.waits == log::WaitClass::Child || time.waits == log::WaitClass::Pipe;
    if (!waits && time.cpu_ns <= 0) continue;
    const std::uint32_t node = evidence.lines().node_of(shell.last_image, time.node);
    const std::uint32_t location = node == fold::CallTree::kNoNode ? 0 : evidence.own_location(node);
    if (location == 0) continue;
    const symbols::Location& at = evidence.symbols().location(location);
    if (evidence.symbols().function(at.function).language != symbols::Language::Shell) continue;
    ShellLine& line = lines[location];
    line.place = place_of(evidence.symbols(), location);
    line.cpu_ns = model::saturated_sum(line.cpu_ns, time.cpu_ns);
    if (!waits) continue;
    line.blocked_ns = model::saturated_sum(line.blocked_ns, time.blocked_ns);
    line.calls = model::saturated_sum(line.calls, time.calls);
  }
  std::vector<ShellLine> out;
  for (auto& [location, line] : lines) {
    if (line.calls > 0) out.push_back(std::move(line));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const ShellLine& a, const ShellLine& b) { return a.blocked_ns > b.blocked_ns; });
  return out;
}

std::vector<ShellLine> lines_to_name(const Evidence& evidence, const Whole& shell) {
  constexpr std::size_t kMost = 3;
  // A pipeline waits for each of its commands, too, once.
  constexpr std::int64_t kAsOften = 10;
  std::vector<ShellLine> out, waited = waited_lines(evidence, shell);
  std::int64_t most = 0;
  // A line that reads its data from a pipe byte by byte waits most often, and not for long.
  for (const ShellLine& line : waited) {
    if (line.blocked_ns >= waited.front().blocked_ns / 10) most = std::max(most, line.calls);
  }
  for (ShellLine& line : waited) {
    const bool much = out.empty() || line.blocked_ns >= out.front().blocked_ns / 2;
    const bool often = is_repeated(line) && kAsOften * line.calls >= most;
    if (much && often && out.size() < kMost) out.push_back(std::move(line));
  }
  return out;
}

bool is_repeated(const ShellLine& line) { return line.calls >= 2 * static_cast<std::int64_t>(kManyJobs); }

}  // namespace prof::findings
