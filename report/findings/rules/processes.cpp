// What a program made of processes does: a process for each small piece of work, children one after the other, a
// pipeline with one slow stage. Who starts them is mostly a shell or make, which have no lines.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/command_lines.hpp"
#include "report/findings/rules/large_shell.hpp"
#include "report/findings/rules/process_commands.hpp"
#include "report/findings/rules/process_tree.hpp"
#include "report/findings/rules/shell_lines.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace processes {
namespace {

const Whole* with_most_children(const std::map<std::uint32_t, Whole>& all) {
  const Whole* out = nullptr;
  for (const auto& [pid, whole] : all) {
    if (out == nullptr || whole.children.size() > out->children.size()) out = &whole;
  }
  return out;
}

using Count = std::pair<std::string, std::int64_t>;
std::vector<Count> most_first(const std::map<std::string, std::int64_t>& counts) {
  std::vector<Count> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const Count& a, const Count& b) { return a.second > b.second; });
  return sorted;
}

// " and ran cut 885 times, sed 880 times"; with those that the parent's children started, how many these are.
std::string programs_text(const Evidence& evidence, const std::map<std::uint32_t, Whole>& all, const Whole& parent) {
  // Of all that came of it, but for copies of itself: a subshell starts what the line says.
  std::map<std::string, std::int64_t> counts;
  const std::string own = program_of(evidence, parent);
  const std::set<std::uint32_t> below = all_below(all, parent);
  for (const std::uint32_t pid : below) {
    if (program_of(evidence, all.at(pid)) != own) ++counts[program_of(evidence, all.at(pid))];
  }
  if (counts.empty()) counts[own] = static_cast<std::int64_t>(parent.children.size());
  const std::vector<Count> sorted = most_first(counts);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, sorted.size()); ++i)
    parts.push_back(sorted[i].second == 1
                        ? sorted[i].first + " once"
                        : fmt::format("{} {} times", sorted[i].first, show::grouped(sorted[i].second)));
  const std::size_t more = below.size() - std::min(below.size(), parent.children.size());
  return fmt::format("{} and ran {}",
                     more > 0
                         ? fmt::format(", with {} more below them,", show::grouped(static_cast<std::int64_t>(more)))
                         : std::string(),
                     fmt::join(parts, ", "));
}

// What a child is there for: its command, or those that a subshell starts.
std::string command_of(const Evidence& evidence, const std::map<std::uint32_t, Whole>& all, const Whole& child,
                       const std::string& shell) {
  std::string its = program_of(evidence, child);
  if (its != shell) return its;
  std::set<std::string> commands;
  for (const std::uint32_t pid : child.children) commands.insert(program_of(evidence, all.at(pid)));
  commands.erase(shell);
  return commands.empty() ? shell : fmt::format("{}", fmt::join(commands, " "));
}

std::int64_t lives_in_all(const std::vector<const Whole*>& processes) {
  std::int64_t sum = 0;
  for (const Whole* one : processes) sum = model::saturated_sum(sum, one->life_ns());
  return sum;
}

// Those of one command, where it has most of all their lives; else all.
std::vector<const Whole*> of_main_command(const Evidence& evidence, const std::map<std::uint32_t, Whole>& all,
                                          const std::vector<const Whole*>& small, const std::string& parent) {
  std::map<std::string, std::vector<const Whole*>> by_command;
  for (const Whole* child : small) by_command[command_of(evidence, all, *child, parent)].push_back(child);
  const double least = kOfOneCommand * real(lives_in_all(small));
  for (auto& [command, processes] : by_command) {
    if (command != parent && real(lives_in_all(processes)) >= least) return std::move(processes);
  }
  return small;
}

// What those take that are done soonest: most of a large shell's copies would, if it were small.
std::int64_t short_life_ns(const std::vector<const Whole*>& processes) {
  std::vector<std::int64_t> lives;
  for (const Whole* one : processes) lives.push_back(one->life_ns());
  const auto tenth = lives.begin() + static_cast<std::ptrdiff_t>(lives.size() / 10);
  std::nth_element(lives.begin(), tenth, lives.end());
  return tenth == lives.end() ? 0 : *tenth;
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
  // Those that live longer, as the stages of a pipeline, are work of another kind.
  std::vector<const Whole*> children, small;
  std::int64_t lives = 0;
  for (const std::uint32_t pid : parent->children) {
    const Whole& child = all.at(pid);
    children.push_back(&child);
    if (child.life_ns() > kSmallPieces * kShortLifeNs) continue;
    small.push_back(&child);
    lives = model::saturated_sum(lives, child.life_ns());
  }
  const auto count = static_cast<std::int64_t>(small.size());
  // What is waited while none of them lives is waited for one that is being made.
  const std::int64_t in_all = model::saturated_sum(parent->piped_ns, parent->child_ns);
  const std::int64_t making = std::max<std::int64_t>(0, in_all - covered_ns(children));
  const std::optional<LargeShell> large = large_shell_of(evidence, *parent);
  // Each process of a large shell takes longer than it need, whatever it runs.
  const std::vector<const Whole*> main_ones =
      large ? small : of_main_command(evidence, all, small, program_of(evidence, *parent));
  const double part = lives > 0 ? real(lives_in_all(main_ones)) / real(lives) : 1;
  const auto waited = whole_number(part * real(std::min(in_all, model::saturated_sum(covered_ns(small), making))));
  const std::int64_t recording = profiling_ns(evidence, all, main_ones);
  const std::int64_t outside = outside_ns(all, main_ones);
  const std::int64_t in_any_case =
      large ? std::max<std::int64_t>(0, whole_number(real(count) * real(short_life_ns(small))) - recording) : 0;
  const std::int64_t saved =
      std::max<std::int64_t>(0, waited - model::saturated_sum(model::saturated_sum(recording, outside), in_any_case));
  // Of what the run takes when nobody records it.
  const double alone = std::max(1.0, real(evidence.run().wall_ns) - real(recording));
  if (count < kManyProcesses || lives / count > kShortLifeNs || real(saved) / alone < kWaitsForProcesses) return {};
  // Where the shell says its lines, what it waited at those that are named.
  std::int64_t at_lines = 0;
  for (const ShellLine& line : lines_to_name(evidence, *parent))
    at_lines = model::saturated_sum(at_lines, line.blocked_ns);
  const double there = waited > 0 ? std::min(1.0, real(at_lines) / real(waited)) : 0;
  const auto stays = whole_number(there * real(model::saturated_sum(recording, outside)));
  const bool by_lines = at_lines > 0 && !large;
  const std::int64_t mended = by_lines ? std::max<std::int64_t>(0, at_lines - stays) : saved;
  Finding finding;
  finding.rule = kManyProcessesRule.name;
  finding.title = "A process is started for each small piece of work";
  finding.seen = fmt::format("{} were started{}; they lived for {} on average, and were waited for {}.",
                             show::counted(count, "process", "processes"), programs_text(evidence, all, *parent),
                             show::duration(real(lives) / real(count)), show::duration(real(waited)));
  finding.advice =
      "Let one process do it for all lines or files: awk or sed on the whole input, a list of files for one command "
      "(xargs), the shell's own means (${line%%,*}, read -r a b) in place of cut, sed, expr and cat.";
  finding.places = {place_of_command(evidence, *parent)};
  if (share_of_run(evidence, recording) >= kWorthSaying)
    finding.seen += fmt::format(" {} of that is what recording them took: without it the run takes about {}.",
                                show::duration(real(recording)), show::duration(alone));
  finding.seen += commands_text(most_often(evidence, all, *parent));
  name_lines(finding, evidence, *parent, longest_in_all(evidence, all, *parent));
  // Who starts them is itself a command of a script: find -exec, xargs, make.
  if (finding.places.front().line == 0) {
    symbols::SourceFiles files(evidence.run());
    if (auto line = line_of_command(evidence, files, all, *parent))
      finding.places.insert(finding.places.begin(), std::move(line->place));
  }
  if (large) tell_of_large_shell(finding, *large);
  finding.when = lives_of(with_all_below(all, small));
  could_save_time(finding, evidence, mended);
  finding.error_ns = profiling_error_ns(whole_number((by_lines ? there : 1) * real(recording)));
  return {finding};
}

// What processes were ready to run, and what they waited for processors of that.
struct Ready {
  std::int64_t ns = 0, queue_ns = 0;
};

// Adds that of a process and of all below it.
void add_below(Ready& to, const std::map<std::uint32_t, Whole>& all, const Whole& process) {
  for (const Whole* one : with_all_below(all, {&process})) {
    to.queue_ns = model::saturated_sum(to.queue_ns, one->queue_ns);
    to.ns = model::saturated_sum(to.ns, model::saturated_sum(one->cpu_ns, one->queue_ns));
  }
}

bool leads_to(const std::map<std::uint32_t, Whole>& all, const Whole& from, const Whole& to) {
  const std::vector<const Whole*> below = with_all_below(all, {&from});
  return std::find(below.begin(), below.end(), &to) != below.end();
}

std::vector<Finding> one_by_one(const Evidence& evidence) {
  const std::map<std::uint32_t, Whole> all = processes_of(evidence);
  // A job that is made of small pieces is long for these.
  const Whole* const pieces = many(evidence).empty() ? nullptr : with_most_children(all);
  for (const auto& [pid, parent] : all) {
    const std::optional<double> cpus = evidence.run().processes[parent.last_image].cpus;
    if (parent.python || !cpus || *cpus < 2) continue;
    std::vector<const Whole*> jobs;
    std::int64_t lives = 0;
    Ready ready;
    for (const std::uint32_t child : parent.children) {
      if (all.at(child).life_ns() < kShortLifeNs) continue;
      if (pieces != nullptr && leads_to(all, all.at(child), *pieces)) continue;
      jobs.push_back(&all.at(child));
      lives = model::saturated_sum(lives, all.at(child).life_ns());
      add_below(ready, all, all.at(child));
    }
    if (jobs.size() < kManyJobs || lives <= 0) continue;
    const std::int64_t covered = covered_ns(jobs);
    // Side by side, they would have lived for longer than there was time; who waits himself needs no processor, and who
    // has several threads or children at work has them all.
    if (real(lives) > kOneByOne * real(covered)) continue;
    if (real(ready.ns) < 0.5 * real(lives) || real(ready.ns) > kOneByOne * real(lives)) continue;
    // Where one job alone had to wait, other programs had the processors.
    if (real(ready.queue_ns) > kHadByOthers * real(ready.ns)) continue;
    const double at_once = std::min(*cpus, static_cast<double>(jobs.size()));
    // Commands that stand below each other are steps, each of which may need the one before.
    std::vector<Place> places;
    std::int64_t together = covered;
    if (const std::vector<ShellLine> lines = waited_lines(evidence, parent); !lines.empty()) {
      together = 0;
      for (const ShellLine& line : lines) {
        if (!is_repeated(line)) continue;
        together = model::saturated_sum(together, line.blocked_ns);
        if (places.size() < 2 && line.blocked_ns >= lines.front().blocked_ns / 10) places.push_back(line.place);
      }
    }
    const double share = share_of_run(evidence, std::min(together, covered)) * (1 - 1 / at_once);
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
    finding.places = places.empty() ? std::vector<Place>{place_of_command(evidence, parent)} : std::move(places);
    finding.when = lives_of(jobs);
    could_save_of_run(finding, evidence, share);
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
  if (slow == nullptr || slow->python || runs_own(evidence, *slow) ||
      share_of_run(evidence, slow->cpu_ns) < kInterpreted)
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
  if (!fed || waiting < kWaitingStages || saved < kLeastActivityNs || share_of_run(evidence, saved) < kActivity)
    return {};
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
  finding.when = lives_of({slow});
  could_save_time(finding, evidence, saved);
  return {finding};
}

}  // namespace
}  // namespace processes

const Rule kManyProcessesRule{"many-processes", "a process for each small piece of work", processes::cannot,
                              processes::many};
const Rule kOneByOneRule{"jobs-one-by-one", "jobs that run one after the other", processes::cannot,
                         processes::one_by_one};
const Rule kSlowStageRule{"slow-stage", "a slow stage of a pipeline", processes::cannot, processes::slow_stage};

}  // namespace prof::findings
