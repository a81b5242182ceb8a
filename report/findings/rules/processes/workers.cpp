// Workers of the program's own, threads or processes: one has most of the work, or there are too few for work that
// waits.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "report/findings/peers.hpp"
#include "report/findings/processors.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/process_tree.hpp"
#include "report/findings/thresholds.hpp"
#include "report/findings/worker_times.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace of_workers {
namespace {

std::string counted_workers(const Workers& group) {
  const auto count = static_cast<std::int64_t>(group.all.size());
  return group.processes ? show::counted(count, "process", "processes") : show::counted(count, "thread", "threads");
}

// The process that waits for them: that of the threads, or the parent, if it was recorded.
std::optional<std::size_t> waiting_process(const Evidence& evidence, const Workers& group) {
  const std::size_t of = group.all.front().thread.process;
  return group.processes ? parent_of(evidence, of) : std::optional(of);
}

// Lines at which the program's thread waits for them.
std::vector<Place> waiting_places(const Evidence& evidence, std::size_t process) {
  const model::Thread* thread = program_thread(evidence, process);
  if (thread == nullptr) return {};
  TimeByPlace sums(evidence);
  for (const StackTime& time : stack_times(evidence.run().processes[process], thread->slot)) {
    if (time.waits && time.blocked_ns > 0) sums.add(process, time.node, time.blocked_ns);
  }
  return sums.top();
}

void add_places(Finding& finding, const std::vector<Place>& more, std::size_t most) {
  for (std::size_t i = 0; i < std::min(more.size(), most); ++i) {
    if (std::find(finding.places.begin(), finding.places.end(), more[i]) == finding.places.end())
      finding.places.push_back(more[i]);
  }
}

const char* cannot(const Evidence& evidence) {
  if (evidence.has_steps()) return "the run has training steps, whose ranks are judged instead";
  return evidence.lines().waits_known() ? nullptr : "what threads waited for was not recorded";
}

// By what they compute: who waits for the network has no work that another one could take.
std::optional<Finding> uneven(const Evidence& evidence, const Workers& group) {
  std::int64_t sum = 0;
  const Worker* longest = &group.all.front();
  for (const Worker& worker : group.all) {
    sum = model::saturated_sum(sum, worker.computed_ns);
    if (worker.computed_ns > longest->computed_ns) longest = &worker;
  }
  const auto count = static_cast<std::int64_t>(group.all.size());
  const std::int64_t most = longest->computed_ns;
  const auto process = waiting_process(evidence, group);
  if (!process) return std::nullopt;
  // More workers than there are processors share these.
  const double at_once =
      std::min(real(count), std::max(1.0, evidence.run().processes[*process].cpus.value_or(real(count))));
  const auto even = whole_number(real(sum) / at_once);
  // In even parts it ends as much earlier, where somebody waits for that one. Who computes less has a processor sooner.
  const double stretched = most > 0 ? real(longest->cpu_ns) / real(most) : 1;
  const std::int64_t saved =
      std::min(whole_number(real(most - even) * stretched), waited_for_others(evidence, *process, group.processes));
  const double share = share_of_run(evidence, saved);
  const bool enough = saved >= kLeastActivityNs || (share >= kUnevenOfShort && saved >= kLeastOfShortNs);
  if (!enough || share < kActivity || real(most) < kUneven * real(even)) return std::nullopt;
  Finding finding;
  finding.rule = kUnevenRule.name;
  finding.title = "One worker has most of the work";
  finding.seen = fmt::format(
      "{} side by side: one computed for {}, the others for {} on average. In even parts all would be done after {}.",
      counted_workers(group), show::duration(real(most)), show::duration(real(sum - most) / real(count - 1)),
      show::duration(real(even)));
  finding.advice =
      "Make the parts even: cut the work into more and smaller ones that workers take as they get free (a queue, "
      "pool.imap_unordered with a small chunksize), the longest first.";
  finding.places = computing_places(evidence, *longest);
  if (finding.places.size() > 2) finding.places.resize(2);
  add_places(finding, waiting_places(evidence, *process), 1);
  could_save_time(finding, evidence, saved);
  return finding;
}

// Of the run's time, what its processes would not have filled had they shared all processors all the time: what threads
// wait for may be other processes of the run, which need theirs. Who was ready to run without one would have filled it.
double without_processors_ns(const Evidence& evidence) {
  const Processors all = processors(evidence);
  const double wall = real(model::to_signed(evidence.run().wall_ns));
  return all.there ? std::max(0.0, wall - (real(all.cpu_ns) + real(all.run_queue_ns)) / *all.there) : wall;
}

// What they waited for children that were at work: these would not be done sooner.
std::int64_t for_children_ns(const Evidence& evidence, const Workers& group, std::size_t process) {
  std::int64_t waited = 0;
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    const bool is_one = std::any_of(group.all.begin(), group.all.end(), [&](const Worker& worker) {
      return worker.thread.process == row.process && worker.thread.slot == row.thread->slot;
    });
    if (is_one)
      waited = model::saturated_sum(
          waited, model::saturated_sum(row.split.of(log::WaitClass::Pipe), row.split.of(log::WaitClass::Child)));
  }
  return std::min(waited, work_of_children(evidence, process));
}

std::optional<Finding> too_few(const Evidence& evidence, const Workers& group) {
  // Processes that wait may be servers, whose work is to answer.
  if (group.processes || static_cast<std::int64_t>(group.all.size()) > kFewWorkers) return std::nullopt;
  const auto process = waiting_process(evidence, group);
  // Those of a server, or of who asks one in the same process, wait for what comes.
  if (!process || accepts_connections(evidence, *process)) return std::nullopt;
  std::int64_t waits = 0, life = 0, waited = 0;
  for (const Worker& worker : group.all) {
    waits = model::saturated_sum(waits, worker.waits);
    life = model::saturated_sum(life, worker.life_ns());
    waited = model::saturated_sum(waited, worker.waited_ns);
  }
  const auto count = static_cast<std::int64_t>(group.all.size());
  if (real(waited) < kWaitingWorker * real(life) || waits < kWaitsOfWorker * count) return std::nullopt;
  const std::int64_t for_them = std::min(waited_for_others(evidence, *process, group.processes), waited / count);
  const auto more = std::min(waits, kManyWorkers);
  // A peer of the run that computes takes as long for many who ask at once.
  const PeersInRun peers = peers_in_run(evidence, group.all.front().thread);
  const double idle_peers = real(for_them) - real(std::min(peers.work_ns, peers.talk_ns));
  const double idle_children = real(for_them) - real(for_children_ns(evidence, group, *process)) / real(count);
  const auto saved = whole_number(std::min(
      {real(for_them) * (1 - real(count) / real(more)), without_processors_ns(evidence), idle_peers, idle_children}));
  if (saved < kLeastActivityNs || share_of_run(evidence, saved) < kActivity) return std::nullopt;
  Finding finding;
  finding.rule = kFewWorkersRule.name;
  finding.title = "Few workers wait one thing at a time";
  finding.seen = fmt::format(
      "{} waited {} times, {} % of their lives, and the program waited for them: with {} at once they would need {}.",
      counted_workers(group), show::grouped(waits), show::percent(real(waited), real(life)), show::grouped(more),
      show::duration(real(for_them - saved)));
  finding.advice =
      "Who waits needs no processor: let more workers wait at once (max_workers=), or use asyncio.gather(), as far as "
      "the other side can answer.";
  finding.places = busy_places(evidence, group.all.front());
  if (finding.places.size() > 1) finding.places.resize(1);
  add_places(finding, waiting_places(evidence, *process), 1);
  could_save_time(finding, evidence, saved);
  return finding;
}

template <std::optional<Finding> (*judge)(const Evidence&, const Workers&)>
std::vector<Finding> look(const Evidence& evidence) {
  std::vector<Finding> out;
  for (const Workers& group : workers(evidence)) {
    std::optional<Finding> finding = judge(evidence, group);
    if (!finding || (!out.empty() && finding->saves <= out.front().saves)) continue;
    out.clear();
    out.push_back(std::move(*finding));
  }
  return out;
}

}  // namespace
}  // namespace of_workers

const Rule kUnevenRule{"uneven-workers", "workers with uneven parts of the work", of_workers::cannot,
                       of_workers::look<of_workers::uneven>};
const Rule kFewWorkersRule{"few-workers", "too few workers for work that waits", of_workers::cannot,
                           of_workers::look<of_workers::too_few>};

}  // namespace prof::findings
