#include "report/findings/rules/shared/process_tree.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/model/wait_class.hpp"
#include "report/show/text.hpp"

namespace prof::findings {
namespace {

void add_waits(const model::Process& process, Whole& whole) {
  const auto main =
      std::find_if(process.threads.begin(), process.threads.end(), [](const model::Thread& t) { return t.main; });
  if (main == process.threads.end()) return;
  for (const auto& row : process.tree.waits) {
    if (row.slot != main->slot) continue;
    const auto what = model::wait_class_of(process, process.tree.nodes[row.node].frame);
    if (what == log::WaitClass::Pipe) {
      whole.piped_ns = model::saturated_sum(whole.piped_ns, row.metric.blocked_ns());
      const model::Frame& frame = process.tree.frames[process.tree.nodes[row.node].frame];
      if (frame.name < process.names.size() && process.names[frame.name].name.find("write") != std::string::npos)
        whole.written_ns = model::saturated_sum(whole.written_ns, row.metric.blocked_ns());
    } else if (what == log::WaitClass::Child) {
      whole.child_ns = model::saturated_sum(whole.child_ns, row.metric.blocked_ns());
    } else if (what == log::WaitClass::Sleep || what == log::WaitClass::Network) {
      whole.outside_ns = model::saturated_sum(whole.outside_ns, row.metric.blocked_ns());
    }
  }
}

// What recording a process took besides what the agent counted.
double unseen_ns(double agent_ns) {
  const double start = std::min(agent_ns, real(kUnseenOfAStartNs));
  return start + std::min(kUnseenOfMore * (agent_ns - start), real(kMostUnseenNs));
}

struct Stretch {
  std::uint64_t from_ns = 0, until_ns = 0;
};

// The time in which there was any of them.
std::int64_t covered_ns(std::vector<Stretch> stretches) {
  std::sort(stretches.begin(), stretches.end(),
            [](const Stretch& a, const Stretch& b) { return a.from_ns < b.from_ns; });
  std::uint64_t until = 0;
  std::int64_t covered = 0;
  for (const Stretch& one : stretches) {
    const std::uint64_t from = std::max(until, one.from_ns);
    if (one.until_ns > from) covered = model::saturated_sum(covered, model::to_signed(one.until_ns - from));
    until = std::max(until, one.until_ns);
  }
  return covered;
}

}  // namespace

std::vector<const Whole*> children_of(const Evidence& evidence, const std::map<std::uint32_t, Whole>& all,
                                      std::size_t process) {
  std::vector<const Whole*> children;
  if (const auto parent = all.find(evidence.run().processes[process].pid); parent != all.end()) {
    for (const std::uint32_t pid : parent->second.children) children.push_back(&all.at(pid));
  }
  return children;
}

std::map<std::uint32_t, Whole> processes_of(const Evidence& evidence) {
  std::map<std::uint32_t, Whole> out;
  const std::vector<model::Process>& images = evidence.run().processes;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const model::Process& image = images[i];
    if (!evidence.selection().includes(image)) continue;
    const auto [found, is_new] = out.try_emplace(image.pid);
    Whole& whole = found->second;
    if (is_new || image.start_monotonic_ns < whole.start_ns) whole.start_ns = image.start_monotonic_ns;
    if (image.end_monotonic_ns >= whole.end_ns) {
      whole.end_ns = image.end_monotonic_ns;
      whole.last_image = i;
    }
    whole.cpu_ns = model::saturated_sum(whole.cpu_ns, model::to_signed(image.cpu_ns));
    whole.agent_ns = model::saturated_sum(whole.agent_ns, model::to_signed(image.totals.agent_ns));
    whole.python |= image.python.has_value();
    add_waits(image, whole);
    for (const model::Thread& thread : image.threads)
      whole.queue_ns = model::saturated_sum(whole.queue_ns, thread.use.run_queue_ns.value_or(0));
  }
  for (const auto& [pid, whole] : out) {
    const auto parent = out.find(images[whole.last_image].ppid);
    if (parent != out.end() && parent->first != pid) parent->second.children.push_back(pid);
  }
  return out;
}

std::string program_of(const Evidence& evidence, const Whole& whole) {
  const model::Process& image = evidence.run().processes[whole.last_image];
  const std::string& path = image.argv.empty() ? image.exe : image.argv.front();
  return std::filesystem::path(path).filename().string();
}

CommandWords command_words_of(const Evidence& evidence, const Whole& whole) {
  const model::Process& image = evidence.run().processes[whole.last_image];
  CommandWords out{program_of(evidence, whole)};
  for (std::size_t i = 1; i < image.argv.size(); ++i) {
    const std::string& word = image.argv[i];
    const bool quotes = word.empty() || word.find_first_of(" \t\n*?$&|;<>()\"\\") != std::string::npos;
    out.push_back(quotes ? "'" + word + "'" : word);
  }
  return out;
}

std::string command_text(const CommandWords& words) {
  constexpr std::size_t kMost = 40;
  return show::cut_middle(show::printable(fmt::format("{}", fmt::join(words, " "))), kMost);
}

Place place_of_command(const Evidence& evidence, const Whole& whole) {
  std::string command = evidence.run().processes[whole.last_image].command();
  constexpr std::size_t kMost = 60;
  if (const std::size_t line = command.find('\n'); line != std::string::npos) command.resize(line);
  if (command.size() > kMost) command = command.substr(0, kMost) + "...";
  return {"", 0, command};
}

std::vector<const Whole*> with_all_below(const std::map<std::uint32_t, Whole>& all,
                                         std::vector<const Whole*> processes) {
  std::set<const Whole*> seen;
  std::vector<const Whole*> out;
  while (!processes.empty()) {
    const Whole* const one = processes.back();
    processes.pop_back();
    if (!seen.insert(one).second) continue;
    out.push_back(one);
    for (const std::uint32_t child : one->children) processes.push_back(&all.at(child));
  }
  return out;
}

std::int64_t profiling_ns(const Evidence& evidence, const std::map<std::uint32_t, Whole>& all,
                          const std::vector<const Whole*>& processes) {
  std::vector<Stretch> starts;
  std::int64_t sum = 0;
  double cpus = 1;
  for (const Whole* one : with_all_below(all, processes)) {
    const double queued = one->cpu_ns > 0 ? real(one->queue_ns) / real(one->cpu_ns) : 0;
    const double agent = real(one->agent_ns) + unseen_ns(real(one->agent_ns));
    const std::int64_t its = whole_number(agent * (1 + std::min(queued, 100.0)));
    starts.push_back({one->start_ns, one->start_ns + static_cast<std::uint64_t>(its)});
    sum = model::saturated_sum(sum, its);
    cpus = std::max(cpus, evidence.run().processes[one->last_image].cpus.value_or(1));
  }
  // The stages of a pipeline are started at once, on as many processors as there are.
  return std::max(covered_ns(std::move(starts)), whole_number(real(sum) / cpus));
}

std::int64_t profiling_error_ns(std::int64_t profiling_ns) {
  return whole_number(kRecordingMayBeOff * real(profiling_ns));
}

std::int64_t outside_ns(const std::map<std::uint32_t, Whole>& all, std::vector<const Whole*> processes) {
  std::stable_sort(processes.begin(), processes.end(),
                   [](const Whole* a, const Whole* b) { return a->start_ns < b->start_ns; });
  std::int64_t sum = 0;
  std::uint64_t others_until = 0;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const Whole& one = *processes[i];
    const bool alone =
        others_until <= one.start_ns && (i + 1 == processes.size() || processes[i + 1]->start_ns >= one.end_ns);
    others_until = std::max(others_until, one.end_ns);
    if (!alone) continue;
    std::int64_t longest = 0;
    for (const Whole* below : with_all_below(all, {&one})) longest = std::max(longest, below->outside_ns);
    sum = model::saturated_sum(sum, std::min(longest, one.life_ns()));
  }
  return sum;
}

std::vector<Span> lives_of_children(const Evidence& evidence, std::size_t process) {
  const std::map<std::uint32_t, Whole> all = processes_of(evidence);
  return lives_of(with_all_below(all, children_of(evidence, all, process)));
}

std::int64_t profiling_children_ns(const Evidence& evidence, std::size_t process) {
  const std::map<std::uint32_t, Whole> all = processes_of(evidence);
  return profiling_ns(evidence, all, children_of(evidence, all, process));
}

std::int64_t outside_of_children_ns(const Evidence& evidence, std::size_t process) {
  const std::map<std::uint32_t, Whole> all = processes_of(evidence);
  return outside_ns(all, children_of(evidence, all, process));
}

std::vector<Span> lives_of(const std::vector<const Whole*>& processes) {
  std::vector<Span> out;
  for (const Whole* one : processes) out.push_back({one->last_image, one->start_ns, one->end_ns});
  return out;
}

std::int64_t covered_ns(const std::vector<const Whole*>& processes) {
  std::vector<Stretch> lives;
  for (const Whole* one : processes) lives.push_back({one->start_ns, one->end_ns});
  return covered_ns(std::move(lives));
}

}  // namespace prof::findings
