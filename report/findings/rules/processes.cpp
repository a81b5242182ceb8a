// What a program made of processes does: a process for each small piece of work, children one after the other, a
// pipeline with one slow stage. Who starts them is mostly a shell or make, which have no lines.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/wait_class.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

// A process, all its images together.
struct Whole {
  std::size_t last_image = 0;  // index into Run::processes: the program that it became
  std::uint64_t start_ns = 0, end_ns = 0;
  std::int64_t cpu_ns = 0;
  std::int64_t queue_ns = 0;                // ready to run, without a processor: all threads
  std::int64_t written_ns = 0;              // of piped_ns, in writes: the next stage did not take it
  std::int64_t piped_ns = 0, child_ns = 0;  // its main thread, blocked at pipes and by children
  bool python = false;
  std::vector<std::uint32_t> children;  // pids
  std::int64_t life_ns() const { return end_ns > start_ns ? model::to_signed(end_ns - start_ns) : 0; }
};

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
    } else if (what == log::WaitClass::Child)
      whole.child_ns = model::saturated_sum(whole.child_ns, row.metric.blocked_ns());
  }
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

Place place_of_command(const Evidence& evidence, const Whole& whole) {
  std::string command = evidence.run().processes[whole.last_image].command();
  constexpr std::size_t kMost = 60;
  if (const std::size_t line = command.find('\n'); line != std::string::npos) command.resize(line);
  if (command.size() > kMost) command = command.substr(0, kMost) + "...";
  return {"", 0, command};
}

const Whole* with_most_children(const std::map<std::uint32_t, Whole>& all) {
  const Whole* out = nullptr;
  for (const auto& [pid, whole] : all) {
    if (out == nullptr || whole.children.size() > out->children.size()) out = &whole;
  }
  return out;
}

// "cut 885 times, sed 880 times"
std::string programs_text(const Evidence& evidence, const std::map<std::uint32_t, Whole>& all, const Whole& parent) {
  // Of all that came of it, but for copies of itself: a subshell starts what the line says.
  std::map<std::string, std::int64_t> counts;
  std::vector<std::uint32_t> below = parent.children;
  std::set<std::uint32_t> seen;
  const std::string own = program_of(evidence, parent);
  while (!below.empty()) {
    const std::uint32_t pid = below.back();
    below.pop_back();
    if (!seen.insert(pid).second) continue;
    const Whole& whole = all.at(pid);
    if (program_of(evidence, whole) != own) ++counts[program_of(evidence, whole)];
    below.insert(below.end(), whole.children.begin(), whole.children.end());
  }
  if (counts.empty()) counts[own] = static_cast<std::int64_t>(parent.children.size());
  std::vector<std::pair<std::string, std::int64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, sorted.size()); ++i)
    parts.push_back(fmt::format("{} {} times", sorted[i].first, show::grouped(sorted[i].second)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

double of_wall(const Evidence& evidence, std::int64_t ns) {
  return real(ns) / real(std::max<std::int64_t>(1, evidence.basis_ns()));
}

const char* cannot(const Evidence& evidence) {
  if (evidence.has_steps()) return "the run has training steps";
  return evidence.run().process_count() > 1 ? nullptr : "one process ran alone";
}

std::vector<Finding> many(const Evidence& evidence) {
  const std::map<std::uint32_t, Whole> all = processes_of(evidence);
  const Whole* parent = with_most_children(all);
  // Of Python, process-starts names the line.
  if (parent == nullptr || parent->python) return {};
  const auto count = static_cast<std::int64_t>(parent->children.size());
  std::int64_t lives = 0;
  for (const std::uint32_t pid : parent->children) lives = model::saturated_sum(lives, all.at(pid).life_ns());
  const std::int64_t waited = model::saturated_sum(parent->piped_ns, parent->child_ns);
  if (count < kManyProcesses || lives / count > kShortLifeNs || of_wall(evidence, waited) < kWaitsForProcesses)
    return {};
  Finding finding;
  finding.rule = kManyProcessesRule.name;
  finding.title = "A process is started for each small piece of work";
  finding.seen = fmt::format("{} were started ({}), lived for {} on average, and were waited for {}.",
                             show::counted(count, "process", "processes"), programs_text(evidence, all, *parent),
                             show::duration(real(lives) / real(count)), show::duration(real(waited)));
  finding.advice =
      "Let one process do it for all lines or files: awk or sed on the whole input, a list of files for one command "
      "(xargs), the shell's own means (${line%%,*}, read -r a b) in place of cut, sed, expr and cat.";
  finding.places = {place_of_command(evidence, *parent)};
  could_save(finding, evidence, of_wall(evidence, waited));
  return {finding};
}

// CPU time of a process and all below it, and what they waited for processors meanwhile.
std::int64_t ready_below(const std::map<std::uint32_t, Whole>& all, std::uint32_t pid, std::set<std::uint32_t>& seen) {
  const auto found = all.find(pid);
  if (found == all.end() || !seen.insert(pid).second) return 0;
  std::int64_t out = model::saturated_sum(found->second.cpu_ns, found->second.queue_ns);
  for (const std::uint32_t child : found->second.children)
    out = model::saturated_sum(out, ready_below(all, child, seen));
  return out;
}

std::vector<Finding> one_by_one(const Evidence& evidence) {
  const std::map<std::uint32_t, Whole> all = processes_of(evidence);
  for (const auto& [pid, parent] : all) {
    const std::optional<double> cpus = evidence.run().processes[parent.last_image].cpus;
    if (parent.python || !cpus || *cpus < 2) continue;
    std::vector<const Whole*> jobs;
    std::int64_t lives = 0, ready = 0;
    std::set<std::uint32_t> seen;
    for (const std::uint32_t child : parent.children) {
      if (all.at(child).life_ns() < kShortLifeNs) continue;
      jobs.push_back(&all.at(child));
      lives = model::saturated_sum(lives, all.at(child).life_ns());
      ready = model::saturated_sum(ready, ready_below(all, child, seen));
    }
    if (jobs.size() < kManyJobs || lives <= 0) continue;
    std::stable_sort(jobs.begin(), jobs.end(),
                     [](const Whole* a, const Whole* b) { return a->start_ns < b->start_ns; });
    std::uint64_t until = 0;
    std::int64_t covered = 0;
    for (const Whole* job : jobs) {
      const std::uint64_t from = std::max(until, job->start_ns);
      if (job->end_ns > from) covered = model::saturated_sum(covered, model::to_signed(job->end_ns - from));
      until = std::max(until, job->end_ns);
    }
    // Side by side, they would have lived for longer than there was time; who waits himself needs no processor, and who
    // has several threads or children at work has them all.
    if (real(lives) > kOneByOne * real(covered)) continue;
    if (real(ready) < 0.5 * real(lives) || real(ready) > kOneByOne * real(lives)) continue;
    const double at_once = std::min(*cpus, static_cast<double>(jobs.size()));
    const double share = of_wall(evidence, covered) * (1 - 1 / at_once);
    if (share < kActivity) continue;
    Finding finding;
    finding.rule = kOneByOneRule.name;
    finding.title = "Jobs run one after the other while processors are idle";
    finding.seen = fmt::format("{} of {} on average ran one at a time; there were {:.3g} processors.",
                               show::counted(static_cast<std::int64_t>(jobs.size()), "process", "processes"),
                               show::duration(real(lives) / static_cast<double>(jobs.size())), *cpus);
    finding.advice = fmt::format(
        "Run {0:.0f} at once where they do not need each other: make -j{0:.0f}, xargs -P{0:.0f}, & and wait in the "
        "shell.",
        *cpus);
    finding.places = {place_of_command(evidence, parent)};
    could_save(finding, evidence, share);
    return {finding};
  }
  return {};
}

// Of a program of the user's own, rules about lines know more.
bool runs_own(const Evidence& evidence, const Whole& whole) {
  const model::Thread* thread = program_thread(evidence, whole.last_image);
  return thread != nullptr && runs_own_code(evidence, whole.last_image, thread->slot);
}

std::vector<Finding> slow_stage(const Evidence& evidence) {
  const std::map<std::uint32_t, Whole> all = processes_of(evidence);
  const Whole* slow = nullptr;
  for (const auto& [pid, whole] : all) {
    if (slow == nullptr || whole.cpu_ns > slow->cpu_ns) slow = &whole;
  }
  if (slow == nullptr || slow->python || runs_own(evidence, *slow) || of_wall(evidence, slow->cpu_ns) < kInterpreted)
    return {};
  std::int64_t next = 0, waiting = 0;
  bool fed = false;  // somebody could not write on
  for (const auto& [pid, whole] : all) {
    if (&whole == slow || whole.start_ns >= slow->end_ns || whole.end_ns <= slow->start_ns) continue;
    next = std::max(next, whole.cpu_ns);
    fed |= real(whole.written_ns) >= kWaitsToWrite * real(whole.life_ns());
    if (real(whole.piped_ns) >= kWaitsForStage * real(whole.life_ns()) &&
        real(whole.life_ns()) >= 0.5 * real(slow->life_ns()))
      ++waiting;
  }
  // It waited for processors as well.
  const std::int64_t at_work = model::saturated_sum(slow->cpu_ns, slow->queue_ns);
  const std::int64_t saved = std::min(at_work, slow->life_ns()) - next;
  // The first stage of all is the program, and nobody's slow consumer.
  if (!fed || waiting < kWaitingStages || saved < kLeastActivityNs || of_wall(evidence, saved) < kActivity) return {};
  Finding finding;
  finding.rule = kSlowStageRule.name;
  finding.title = fmt::format("One stage of a pipeline holds up the others: {}", program_of(evidence, *slow));
  finding.seen = fmt::format(
      "It was at work for {}, the busiest of the others computed for {}; {} waited at their pipes meanwhile.",
      show::duration(real(at_work)), show::duration(real(next)), show::counted(waiting, "process", "processes"));
  finding.advice =
      "Let that stage use several processors (xz -T0, zstd -T0, pigz, sort --parallel), choose a faster tool or level, "
      "or cut the data and run several pipelines.";
  finding.places = {place_of_command(evidence, *slow)};
  could_save(finding, evidence, of_wall(evidence, saved));
  return {finding};
}

}  // namespace

const Rule kManyProcessesRule{"many-processes", "a process for each small piece of work", cannot, many};
const Rule kOneByOneRule{"jobs-one-by-one", "jobs that run one after the other", cannot, one_by_one};
const Rule kSlowStageRule{"slow-stage", "a slow stage of a pipeline", cannot, slow_stage};

}  // namespace prof::findings
