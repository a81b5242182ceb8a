// The program's thread waits at one of its own lines: for a disk, for the network, in sleep, for a child.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "report/findings/delayed_answers.hpp"
#include "report/findings/event_loop.hpp"
#include "report/findings/peers.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/process_tree.hpp"
#include "report/findings/rules/waiting/retries.hpp"
#include "report/findings/rules/waiting/waiting_saving.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/findings/worker_times.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace {

using waiting::kAwaits, waiting::kChild, waiting::kFile, waiting::kNetwork, waiting::kPipe, waiting::kSleep,
    waiting::kAsyncSleep, waiting::kSync, waiting::kLoop, waiting::kHub;
using waiting::Kind, waiting::Saving, waiting::Sum, waiting::blocks_loop, waiting::is_of_loop, waiting::sleeps;

const char* cannot(const Evidence& evidence) {
  return evidence.lines().waits_known() ? nullptr : "what threads waited for was not recorded";
}

// Whether the thread hardly ever gave its processor up: what it waited in calls it waited for others that were at work.
bool never_blocked(const Evidence& evidence, const ThreadOf& thread, std::int64_t calls) {
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    if (row.process != thread.process || row.thread->slot != thread.slot) continue;
    const std::optional<std::int64_t>& gave_up = row.thread->use.voluntary_switches;
    return gave_up && static_cast<double>(*gave_up) < kGivesUp * static_cast<double>(calls);
  }
  return false;
}

// Whether the kind says nothing of this thread, whatever it waited.
bool is_silent(const Evidence& evidence, const Kind& kind, const ThreadOf& thread) {
  if (is_of_loop(kind) && runs_other_tasks(evidence, thread)) return true;
  if (&kind == &kNetwork && !asks_peers(evidence, thread.process)) return true;
  // What others sleep while each piece of work is waited for is waited for in turn.
  const model::Thread* const main = program_thread(evidence, thread.process);
  return sleeps(kind) && main != nullptr && main->slot != thread.slot && !kResultsAtOnceRule.look(evidence).empty();
}

bool worth_telling(const Evidence& evidence, const Kind& kind, const ThreadOf& thread, const Sum& sum,
                   const Saving& saving) {
  // What is left then is the way there and back.
  if (&kind == &kNetwork && real(saving.work_ns) >= kPeersAtWork * real(sum.ns)) return false;
  if (share_of_life(evidence, thread, saving.ns) < kWaitingLine || saving.ns < kLeastWaitNs) return false;
  if (sum.calls < kind.least_calls) return false;
  // A program that does nothing else has nothing to do, and where it polls it may be that nobody sends.
  const bool idles = sleeps(kind) || (&kind == &kNetwork && sum.polled_ns > sum.ns / 2);
  return !idles || real(evidence.run().cpu_ns) >= kAtWork * real(model::to_signed(evidence.run().wall_ns));
}

// What of the waiting is no part of the saving, and why.
std::string left_words(const Evidence& evidence, const Kind& kind, const Sum& sum, const Saving& saving) {
  const std::int64_t kept_ns = sum.ns - saving.ns;
  if (saving.of_work() && !sleeps(kind) && kept_ns > 0) {
    if (real(kept_ns) < kWorthSaying * real(sum.ns)) return {};
    return fmt::format(" For {} of it the peers, which are of this run, were at work.", show::duration(real(kept_ns)));
  }
  if (saving.at_once.one_task) {
    if (saving.left_ns <= 0) return {};
    return fmt::format(" All else took {}: no more than that can be done meanwhile.",
                       show::duration(real(saving.others_ns)));
  }
  if (saving.left_ns > 0) {
    const waiting::AtOnce& at_once = saving.at_once;
    const std::string left = show::duration(real(saving.left_ns)),
                      who = at_once.served > 1
                                ? fmt::format("The server was asked by {} connections at once",
                                              show::grouped(at_once.tasks))
                                : fmt::format("asyncio.gather() waits for {} tasks", show::grouped(at_once.gathered));
    if (at_once.served > 1 || at_once.together == at_once.gathered)
      return fmt::format(" {}: if each of them does this, {} are left when they do it at once.", who, left);
    return fmt::format(" {}, and {} did this in one turn of the loop: {} are left when they do it at once.", who,
                       show::grouped(at_once.together), left);
  }
  if (saving.recording_ns > 0) {
    if (share_of_run(evidence, saving.recording_ns) < kWorthSaying) return {};
    return fmt::format(" {} of that is what recording them took.", show::duration(real(saving.recording_ns)));
  }
  if (kept_ns <= 0) return {};
  return fmt::format(" Other threads or processes of the program were at work for {} meanwhile.",
                     show::duration(real(kept_ns)));
}

// `most_ns`: see waiting::saving_of().
std::vector<Finding> look_for(const Evidence& evidence, const Kind& kind, const std::optional<ThreadOf>& thread,
                              std::optional<std::int64_t> most_ns = std::nullopt) {
  if (!thread || is_silent(evidence, kind, *thread)) return {};
  symbols::SourceFiles& files = evidence.sources();
  const Sum sum = waiting::sum_of(evidence, kind, *thread, files);
  const Saving saving = waiting::saving_of(evidence, kind, *thread, sum, files, most_ns);
  if (!worth_telling(evidence, kind, *thread, sum, saving)) return {};
  const std::int64_t calls = std::max<std::int64_t>(1, sum.calls);
  const bool short_calls = kind.of_short != nullptr && sum.ns / calls < kShortCallNs;
  if (&kind == &kFile && !short_calls && never_blocked(evidence, *thread, calls)) return {};
  Finding finding;
  finding.rule = kind.rule->name;
  finding.title = short_calls ? kind.of_short->title : kind.title;
  const std::string all = fmt::format("{} in all ({} % of the run's time)", show::duration(real(sum.ns)),
                                      show::percent(share_of_life(evidence, *thread, sum.ns), 1));
  // A loop looks often while it waits for one answer: how many there were nobody counted.
  finding.seen = is_of_loop(kind) ? fmt::format("These lines {}, one at a time: {}.", kind.what, all)
                                  : fmt::format("{} {}, {}, {} each on average.", show::counted(calls, "call", "calls"),
                                                short_calls ? kind.of_short->what : kind.what, all,
                                                show::duration(real(sum.ns) / real(calls)));
  if (const auto most = sum.most(); most != sum.tasks.end() && !most->first.empty())
    finding.seen += fmt::format(" {} of it in the {} {}.", show::duration(real(most->second)),
                                &kind == &kHub ? "greenlet" : "task", most->first);
  finding.seen += left_words(evidence, kind, sum, saving);
  finding.advice = short_calls ? kind.of_short->advice : kind.advice;
  finding.places = sum.lines.top();
  if (is_of_loop(kind)) tell_of_lock(finding, files);
  if (sleeps(kind)) tell_of_retries(files, finding);
  const std::int64_t delays_ns = &kind == &kNetwork ? tell_of_delays(finding, evidence, *thread, all) : 0;
  // Who works meanwhile may have waited for the one that sleeps.
  finding.saves_more = sleeps(kind) && saving.ns < sum.ns;
  finding.general = &kind != &kSync && !blocks_loop(kind) && !is_of_loop(kind);
  could_save_of_run(finding, evidence, share_of_life(evidence, *thread, std::max(saving.ns, delays_ns)));
  finding.error_ns = profiling_error_ns(saving.recording_ns);
  if (&kind == &kChild) finding.when = lives_of_children(evidence, thread->process);
  return {finding};
}

std::vector<Finding> look_for(const Evidence& evidence, const Kind& kind) {
  return look_for(evidence, kind, program_thread(evidence));
}

template <const Kind& kind>
std::vector<Finding> look(const Evidence& evidence) {
  return look_for(evidence, kind);
}

// The thread of the program's process that waited longest for peers, where its waits are those.
std::optional<ThreadOf> delayed_worker(const Evidence& evidence, const ThreadOf& program) {
  std::optional<ThreadOf> out;
  std::int64_t most = 0;
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    const ThreadOf thread{row.process, row.thread->slot};
    if (thread.process != program.process || thread.slot == program.slot || row.thread->agent ||
        !waits_as_long(evidence, thread) || serves(evidence.run().processes[thread.process], thread.slot))
      continue;
    std::int64_t waited = 0;
    for (const LineTime& time : line_times(evidence, thread))
      if (time.waits == log::WaitClass::Network) waited = model::saturated_sum(waited, time.blocked_ns);
    if (waited <= most || !is_kept_by_delays(evidence, thread)) continue;
    most = waited;
    out = thread;
  }
  return out;
}

// Where a server does most of the work, whoever asks it may keep both waiting by how it asks.
std::vector<Finding> look_for_network(const Evidence& evidence) {
  std::vector<Finding> found = look_for(evidence, kNetwork);
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!found.empty() || !program) return found;
  if (const std::optional<ThreadOf> asking = delayed_worker(evidence, *program))
    return look_for(evidence, kNetwork, asking);
  if (asks_peers(evidence, program->process)) return {};
  const auto& processes = evidence.run().processes;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const model::Thread* const thread = i == program->process ? nullptr : program_thread(evidence, i);
    if (thread == nullptr || !evidence.selection().includes(processes[i])) continue;
    const ThreadOf asking{i, thread->slot};
    if (!asks_peers(evidence, i) || !is_kept_by_delays(evidence, asking)) continue;
    if (found = look_for(evidence, kNetwork, asking); !found.empty()) return found;
  }
  return {};
}

std::vector<Finding> look_for_blocked_loops(const Evidence& evidence) {
  std::vector<Finding> found = look_for(evidence, kLoop);
  for (Finding& finding : look_for(evidence, kHub)) found.push_back(std::move(finding));
  return found;
}

// Whether the line stands in a loop that looks whether work is done, by the source. Who looks whether a process lives
// watches over it.
bool looks_for_ends(const Lines& lines, std::size_t number) {
  constexpr std::string_view kLooks[] = {".ready(", ".done("};
  if (number > lines.size() || !contains(lines[number - 1], "sleep(")) return false;
  bool out = false;
  heads_above(lines, number, [&](std::string_view code, std::size_t at) {
    if (code.starts_with("def ") || code.starts_with("async def ")) return false;
    if (!code.starts_with("while ") && !code.starts_with("for ")) return true;
    out = contains_any(code, kLooks);
    lines_below(lines, at, [&](std::string_view inside, std::size_t) {
      out = out || contains_any(inside, kLooks);
      return !out;
    });
    return !out;
  });
  return out;
}

// Workers that have nothing to do while the one sleeps who has work for them, and looks now and then.
std::vector<Finding> look_for_sleeping_parent(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  const std::optional<std::size_t> parent = program ? parent_of(evidence, program->process) : std::nullopt;
  const model::Thread* const thread = parent ? program_thread(evidence, *parent) : nullptr;
  if (thread == nullptr) return {};
  std::optional<std::int64_t> idle_ns;  // of the worker that had most to do
  std::int64_t busy_ns = 0;
  for (const Workers& group : workers(evidence)) {
    for (const Worker& worker : group.all) {
      if (parent_of(evidence, worker.thread.process) != parent) continue;
      idle_ns = std::min(idle_ns.value_or(worker.idle_ns), worker.idle_ns);
      busy_ns = std::max(busy_ns, model::saturated_sum(worker.cpu_ns, worker.waited_ns));
    }
  }
  if (!idle_ns) return {};
  const ThreadOf sleeper{*parent, thread->slot};
  symbols::SourceFiles& files = evidence.sources();
  // What they were idle for before that is none of it.
  const std::int64_t slept_ns = waiting::sum_of(evidence, kSleep, sleeper, files).ns,
                     most_ns = std::min(*idle_ns, std::max<std::int64_t>(0, slept_ns - busy_ns));
  std::vector<Finding> found = look_for(evidence, kSleep, sleeper, most_ns);
  std::erase_if(found, [&](const Finding& finding) {
    if (finding.places.empty()) return true;
    const Place& first = finding.places.front();
    return first.line <= 0 || !looks_for_ends(files.file(first.file).lines, static_cast<std::size_t>(first.line));
  });
  for (Finding& finding : found) {
    finding.advice =
        "Wait for the workers themselves, who say when they are done: job.get(), pool.map(), as_completed(), "
        "process.join(), a queue.";
    finding.saves_more = false;
  }
  return found;
}

std::vector<Finding> look_for_sleeps(const Evidence& evidence) {
  std::vector<Finding> found = look_for(evidence, kSleep);
  if (found.empty()) found = look_for_sleeping_parent(evidence);
  for (Finding& finding : look_for(evidence, kAsyncSleep)) found.push_back(std::move(finding));
  return found;
}

}  // namespace

const Rule kSyncWritesRule{"synced-writes", "writes that wait for the disk", cannot, look<kSync>};
const Rule kEventLoopRule{"event-loop-blocked", "calls that block an event loop", cannot, look_for_blocked_loops};
const Rule kAwaitsRule{"awaits-in-turn", "awaits of peers one after the other", cannot, look<kAwaits>};
const Rule kNetworkRule{"network-waits", "waiting for the network", cannot, look_for_network};
const Rule kSleepRule{"sleeping", "sleeping", cannot, look_for_sleeps};
const Rule kChildRule{"waiting-for-children", "waiting for child processes", cannot, look<kChild>};
const Rule kFileWaitRule{"waiting-for-files", "waiting for files", cannot, look<kFile>};
const Rule kPipeRule{"waiting-at-pipes", "waiting at pipes", cannot, look<kPipe>};

}  // namespace prof::findings
