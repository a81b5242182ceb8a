// What a program made of processes does: children one after the other, a pipeline with one slow stage. Who starts them
// is mostly a shell or make, which have no lines.
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
#include "report/findings/rules/processes/command_lines.hpp"
#include "report/findings/rules/processes/process_commands.hpp"
#include "report/findings/rules/processes/starters.hpp"
#include "report/findings/rules/shared/large_shell.hpp"
#include "report/findings/rules/shared/process_tree.hpp"
#include "report/findings/rules/shared/shell_lines.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace processes {
namespace {

const char* cannot(const Evidence& evidence) {
  if (evidence.has_steps()) return "the run has training steps";
  return evidence.run().process_count() > 1 ? nullptr : "one process ran alone";
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
  const std::vector<Finding> small = kManyProcessesRule.look(evidence);
  const std::optional<Starters> pieces = small.empty() ? std::nullopt : starters(evidence, all);
  const auto starts_pieces = [&small](const Place& place) {
    return !small.empty() &&
           std::find(small.front().places.begin(), small.front().places.end(), place) != small.front().places.end();
  };
  for (const auto& [pid, parent] : all) {
    const std::optional<double> cpus = evidence.run().processes[parent.last_image].cpus;
    if (parent.python || !cpus || *cpus < 2) continue;
    std::vector<const Whole*> jobs;
    std::int64_t lives = 0;
    Ready ready;
    for (const std::uint32_t child : parent.children) {
      if (all.at(child).life_ns() < kShortLifeNs) continue;
      if (pieces && std::any_of(pieces->all.begin(), pieces->all.end(),
                                [&](const Whole* one) { return leads_to(all, all.at(child), *one); }))
        continue;
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
        if (!is_repeated(line) || starts_pieces(line.place)) continue;
        together = model::saturated_sum(together, line.blocked_ns);
        if (places.size() < 2 && line.blocked_ns >= lines.front().blocked_ns / 10) places.push_back(line.place);
      }
    }
    const std::int64_t recording = profiling_ns(evidence, all, jobs);
    const std::int64_t alone = std::max<std::int64_t>(0, std::min(together, covered) - recording);
    const double share = share_of_run(evidence, alone) * (1 - 1 / at_once);
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
    finding.error_ns = profiling_error_ns(recording);
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

const Rule kOneByOneRule{"jobs-one-by-one", "jobs that run one after the other", processes::cannot,
                         processes::one_by_one};
const Rule kSlowStageRule{"slow-stage", "a slow stage of a pipeline", processes::cannot, processes::slow_stage};

}  // namespace prof::findings
