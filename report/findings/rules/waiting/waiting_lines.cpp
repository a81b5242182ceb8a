// The program's thread waits at one of its own lines: for a disk, for the network, in sleep, for a child.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "report/findings/delayed_answers.hpp"
#include "report/findings/event_loop.hpp"
#include "report/findings/peers.hpp"
#include "report/findings/processors.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/process_tree.hpp"
#include "report/findings/rules/waiting/retries.hpp"
#include "report/findings/rules/waiting/waiting_kinds.hpp"
#include "report/findings/thresholds.hpp"
#include "report/findings/worker_times.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace {

using waiting::Beside, waiting::Kind, waiting::kind_of;
using waiting::kAsyncSleep, waiting::kAwaits, waiting::kChild, waiting::kFile, waiting::kHub, waiting::kLoop,
    waiting::kNetwork, waiting::kPipe, waiting::kSleep, waiting::kSync;

constexpr double kSeveralInATurn = 2;
// Half of what makes a turn of a loop a long one.
constexpr auto kLongCallNs = static_cast<std::int64_t>(log::kHoldLeast / 2);

struct Sum {
  std::int64_t ns = 0, calls = 0;
  std::int64_t polled_ns = 0;    // of ns
  std::int64_t gathered_ns = 0;  // of ns: in tasks that were gathered
  std::int64_t peers_ns = 0;     // of ns: may have been for peers
  TimeByPlace lines;
  std::map<std::string, std::int64_t> tasks{};  // of ns, by the name of the task that blocked the loop
  // Of these, calls that make a turn of the loop a long one, and all lines.
  std::int64_t long_calls = 0;
  std::set<std::uint32_t> locations{};
};

// The one that blocked it longest; the end where none is known.
std::map<std::string, std::int64_t>::const_iterator most_in(const Sum& sum) {
  return std::max_element(sum.tasks.begin(), sum.tasks.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; });
}

// Whether nearly all that blocked the loop was one of several kinds of tasks: then it may be one task, whose calls come
// one after the other, and nothing tells how many of the tasks that are gathered do the like. The main task is one of
// them.
bool one_of_several_tasks(const Evidence& evidence, const ThreadOf& program, const Sum& sum) {
  constexpr std::size_t kSeveral = 3;
  constexpr double kNearlyAll = 0.9;
  const auto most = most_in(sum);
  if (most == sum.tasks.end() || most->first.empty() || real(most->second) < kNearlyAll * real(sum.ns)) return false;
  return tasks_of(evidence, program).size() >= kSeveral;
}

bool blocks_loop(const Kind& kind) { return &kind == &kLoop || &kind == &kHub; }

const char* cannot(const Evidence& evidence) {
  return evidence.lines().waits_known() ? nullptr : "what threads waited for was not recorded";
}

// Lines that do little else than such calls, of the disk or for files: what they compute for them goes with them.
std::set<std::uint32_t> whole_lines(const Evidence& evidence, const ThreadOf& program, const Kind& kind,
                                    const Beside& beside) {
  std::set<std::uint32_t> out;
  if (&kind != &kSync && &kind != &kFile) return out;
  std::map<std::uint32_t, std::pair<std::int64_t, std::int64_t>> by_line;  // in such calls, and in all
  for (const LineTime& time : line_times(evidence, program)) {
    auto& [in_calls, all] = by_line[evidence.own_location(time.node)];
    const std::int64_t ns = model::saturated_sum(time.cpu_ns, time.blocked_ns);
    all = model::saturated_sum(all, ns);
    if (time.waits && kind_of(evidence, time, beside) == &kind)
      in_calls = model::saturated_sum(in_calls, time.waited_ns);
  }
  for (const auto& [line, sums] : by_line) {
    if (line != 0 && sums.first > sums.second / 2) out.insert(line);
  }
  return out;
}

// Lines that send or receive, too: what they poll for comes from a peer, as behind a socket that has a time-out.
std::set<std::uint32_t> conversing_lines(const Evidence& evidence, const ThreadOf& program) {
  std::set<std::uint32_t> out;
  for (const LineTime& time : line_times(evidence, program)) {
    if (time.waits == log::WaitClass::Network) out.insert(evidence.own_location(time.node));
  }
  out.erase(0);
  return out;
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

// What is done while the thread sleeps: what it does not wait for elsewhere.
std::int64_t work_meanwhile(const Evidence& evidence, const ThreadOf& thread) {
  std::int64_t work = work_beside(evidence, thread);
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    if (row.process != thread.process || row.thread->slot != thread.slot) continue;
    work -= model::saturated_sum(row.split.of(log::WaitClass::Lock), row.split.of(log::WaitClass::Child));
  }
  return std::max<std::int64_t>(0, work);
}

// What the thread computed, and waited for a processor meanwhile.
std::int64_t own_work(const Evidence& evidence, const ThreadOf& thread) {
  std::int64_t cpu_ns = 0;
  for (const StackTime& time : stack_times(evidence.run().processes[thread.process], thread.slot))
    cpu_ns = model::saturated_sum(cpu_ns, time.cpu_ns);
  return with_run_queue(evidence, thread, cpu_ns);
}

// Of the waiting for peers, what those of the run computed: it takes as long, whoever asks and however. But where
// several tasks ask at once, other processes can do so while the thread computes.
std::int64_t waited_for_work(const Evidence& evidence, const ThreadOf& thread, const Kind& kind, const Sum& sum,
                             bool at_once) {
  if (sum.peers_ns <= 0) return 0;
  const PeersInRun peers = peers_in_run(evidence, thread);
  const bool both = at_once && processors(evidence).there.value_or(1) >= 2;
  const std::int64_t beside = both ? std::min(peers.elsewhere_ns, own_work(evidence, thread)) : 0;
  // A loop waits for all its sockets in one call, which is of none of them.
  const std::int64_t most = &kind == &kAwaits ? sum.peers_ns : std::min(sum.peers_ns, peers.talk_ns);
  return std::min(peers.work_ns - beside, most);
}

// What a shell waits for its commands is theirs: rules about processes tell of it.
bool waits_for_commands(const Evidence& evidence, const LineTime& time, const Kind& kind) {
  if (&kind != &kChild && &kind != &kPipe) return false;
  const std::uint32_t line = evidence.own_location(time.node);
  return line != 0 &&
         evidence.symbols().function(evidence.symbols().location(line).function).language == symbols::Language::Shell;
}

// `most_ns`: no more than that can be saved, where that is known without what others computed meanwhile.
std::vector<Finding> look_for(const Evidence& evidence, const Kind& kind, const std::optional<ThreadOf>& program,
                              std::optional<std::int64_t> most_ns = std::nullopt) {
  if (!program) return {};
  Sum sum{0, 0, 0, 0, 0, TimeByPlace(evidence)};
  symbols::SourceFiles files(evidence.run());
  const bool of_loop = &kind == &kAwaits || &kind == &kAsyncSleep, sleeps = &kind == &kSleep || &kind == &kAsyncSleep;
  if (of_loop && runs_other_tasks(evidence, *program)) return {};
  // What others sleep while each piece of work is waited for is waited for in turn.
  const model::Thread* const main = program_thread(evidence, program->process);
  if (sleeps && main != nullptr && main->slot != program->slot && !kResultsAtOnceRule.look(evidence).empty()) return {};
  if (&kind == &kNetwork && !asks_peers(evidence, program->process)) return {};
  const double queue = queue_factor(evidence, *program);
  const Beside beside{!others_wait(evidence, *program), has_hub(evidence.run().processes[program->process])};
  const std::set<std::uint32_t> whole = whole_lines(evidence, *program, kind, beside),
                                conversing = conversing_lines(evidence, *program);
  for (const LineTime& time : line_times(evidence, *program)) {
    const std::uint32_t line = evidence.own_location(time.node);
    if (waits_for_commands(evidence, time, kind)) continue;
    const bool of_line = line != 0 && whole.contains(line);
    if (!of_line && (time.waited_ns <= 0 || !time.waits || kind_of(evidence, time, beside) != &kind)) continue;
    // What computes in a call waits for a processor as well. Samples in calls are CPU time of their line, too.
    const std::int64_t cpu_ns = of_line ? time.cpu_ns : model::saturated_difference(time.waited_ns, time.blocked_ns);
    const std::int64_t ns = whole_number(real(time.blocked_ns) + queue * real(std::max<std::int64_t>(0, cpu_ns)));
    if (!sum.lines.add(time.node, ns)) continue;
    sum.ns = model::saturated_sum(sum.ns, ns);
    if (&kind == &kAwaits || time.waits == log::WaitClass::Network || time.waits == log::WaitClass::Poll)
      sum.peers_ns = model::saturated_sum(sum.peers_ns, ns);
    if (blocks_loop(kind)) {
      std::int64_t& of_task = sum.tasks[name_of_task(evidence.lines(), time.node)];
      of_task = model::saturated_sum(of_task, ns);
      sum.locations.insert(line);
      if (time.waited_ns >= time.calls * kLongCallNs) sum.long_calls = model::saturated_sum(sum.long_calls, time.calls);
    }
    if (blocks_loop(kind) || (of_loop && gathers(evidence, files, time.node)))
      sum.gathered_ns = model::saturated_sum(sum.gathered_ns, ns);
    if (!time.waits || kind_of(evidence, time, beside) != &kind) continue;
    sum.calls = model::saturated_sum(sum.calls, time.calls);
    if (time.waits == log::WaitClass::Poll && !conversing.contains(line))
      sum.polled_ns = model::saturated_sum(sum.polled_ns, ns);
  }
  const double share = share_of_life(evidence, *program, sum.ns);
  // What is done at once takes as long as one part of it.
  const double in_a_turn = waits_in_a_turn(evidence, sum.locations, sum.long_calls);
  const std::int64_t connections =
      blocks_loop(kind) && sum.ns > 0
          ? connections_served(evidence, *program, files, sum.lines.top(), most_in(sum)->first)
          : 0;
  // Connections may come one after the other.
  const std::int64_t served = in_a_turn > 0 ? std::min(connections, whole_number(in_a_turn)) : connections;
  const bool in_turn = connections > 1 && served <= 1;
  const bool one_task = blocks_loop(kind) && served <= 1 &&
                        (in_turn || (one_of_several_tasks(evidence, *program, sum) && in_a_turn < kSeveralInATurn));
  // Not all that are gathered need do this, nor at the same time.
  const std::int64_t gathered = gathered_at_once(evidence, *program),
                     together = in_a_turn >= kSeveralInATurn ? std::min(gathered, whole_number(in_a_turn)) : gathered;
  const std::int64_t at_once = one_task ? 0 : served > 1 ? served : together;
  // What one task waits for is waited for in any case; others can do their work meanwhile, and there is no more of it.
  const std::int64_t life_ns = model::to_signed(evidence.run().processes[program->process].wall_ns()),
                     others_ns = std::max<std::int64_t>(0, life_ns - sum.ns);
  const std::int64_t left_ns = one_task      ? std::max<std::int64_t>(0, sum.ns - others_ns)
                               : at_once > 1 ? sum.gathered_ns / at_once
                                             : 0;
  std::int64_t work_ns = most_ns  ? std::max<std::int64_t>(0, sum.ns - *most_ns)
                         : sleeps ? work_meanwhile(evidence, *program)
                                  : 0;
  if (&kind == &kNetwork || &kind == &kAwaits || blocks_loop(kind))
    work_ns =
        waited_for_work(evidence, *program, kind, sum, !one_task && (at_once > 1 || in_a_turn >= kSeveralInATurn));
  // What children compute for a pipe they need in any case; only as much as the thread computes itself can be beside
  // it.
  if (&kind == &kPipe)
    work_ns = model::saturated_difference(work_beside(evidence, *program), own_work(evidence, *program));
  const bool of_work = work_ns > left_ns;
  // What is left then is the way there and back.
  if (&kind == &kNetwork && real(work_ns) >= kPeersAtWork * real(sum.ns)) return {};
  std::int64_t to_save_ns = sum.ns - std::clamp<std::int64_t>(work_ns, left_ns, sum.ns);
  // Children are done sooner when nobody records them.
  const std::int64_t recording_ns =
      &kind == &kChild ? std::min(to_save_ns, profiling_children_ns(evidence, program->process)) : 0;
  to_save_ns -= recording_ns;
  const double to_save = share_of_life(evidence, *program, to_save_ns);
  if (to_save < kWaitingLine || to_save_ns < kLeastWaitNs || sum.calls < kind.least_calls) return {};
  // A program that does nothing else has nothing to do, and where it polls it may be that nobody sends.
  if ((sleeps || (&kind == &kNetwork && sum.polled_ns > sum.ns / 2)) &&
      static_cast<double>(evidence.run().cpu_ns) < kAtWork * static_cast<double>(evidence.run().wall_ns)) {
    return {};
  }
  Finding finding;
  finding.rule = kind.rule->name;
  const std::int64_t calls = std::max<std::int64_t>(1, sum.calls);
  const bool short_calls = kind.of_short != nullptr && sum.ns / calls < kShortCallNs;
  if (&kind == &kFile && !short_calls && never_blocked(evidence, *program, calls)) return {};
  finding.title = short_calls ? kind.of_short->title : kind.title;
  const std::string all = fmt::format("{} in all ({} % of the run's time)", show::duration(static_cast<double>(sum.ns)),
                                      show::percent(share, 1));
  // A loop looks often while it waits for one answer: how many there were nobody counted.
  finding.seen = of_loop ? fmt::format("These lines {}, one at a time: {}.", kind.what, all)
                         : fmt::format("{} {}, {}, {} each on average.", show::counted(calls, "call", "calls"),
                                       short_calls ? kind.of_short->what : kind.what, all,
                                       show::duration(static_cast<double>(sum.ns) / static_cast<double>(calls)));
  const auto most = most_in(sum);
  if (most != sum.tasks.end() && !most->first.empty())
    finding.seen += fmt::format(" {} of it in the {} {}.", show::duration(real(most->second)),
                                &kind == &kHub ? "greenlet" : "task", most->first);
  if (of_work && !sleeps && to_save_ns < sum.ns) {
    if (real(sum.ns - to_save_ns) >= kWorthSaying * real(sum.ns))
      finding.seen += fmt::format(" For {} of it the peers, which are of this run, were at work.",
                                  show::duration(real(sum.ns - to_save_ns)));
  } else if (one_task) {
    if (left_ns > 0)
      finding.seen +=
          fmt::format(" All else took {}: no more than that can be done meanwhile.", show::duration(real(others_ns)));
  } else if (left_ns > 0) {
    const std::string who = served > 1
                                ? fmt::format("The server was asked by {} connections at once", show::grouped(at_once))
                                : fmt::format("asyncio.gather() waits for {} tasks", show::grouped(gathered));
    finding.seen +=
        served > 1 || together == gathered
            ? fmt::format(" {}: if each of them does this, {} are left when they do it at once.", who,
                          show::duration(real(left_ns)))
            : fmt::format(" {}, and {} did this in one turn of the loop: {} are left when they do it at once.", who,
                          show::grouped(together), show::duration(real(left_ns)));
  } else if (recording_ns > 0) {
    if (share_of_run(evidence, recording_ns) >= kWorthSaying)
      finding.seen += fmt::format(" {} of that is what recording them took.", show::duration(real(recording_ns)));
  } else if (to_save_ns < sum.ns) {
    finding.seen += fmt::format(" Other threads or processes of the program were at work for {} meanwhile.",
                                show::duration(static_cast<double>(sum.ns - to_save_ns)));
  }
  finding.advice = short_calls ? kind.of_short->advice : kind.advice;
  finding.places = sum.lines.top();
  if (of_loop) tell_of_lock(finding, files);
  if (sleeps) tell_of_retries(files, finding);
  if (&kind == &kNetwork) tell_of_delays(finding, evidence, *program, all);
  // Who works meanwhile may have waited for the one that sleeps.
  finding.saves_more = sleeps && to_save_ns < sum.ns;
  finding.general = &kind != &kSync && !blocks_loop(kind) && !of_loop;
  could_save_of_run(finding, evidence, to_save);
  finding.error_ns = profiling_error_ns(recording_ns);
  if (&kind == &kChild) finding.when = lives_of_children(evidence, program->process);
  return {finding};
}

std::vector<Finding> look_for(const Evidence& evidence, const Kind& kind) {
  return look_for(evidence, kind, program_thread(evidence));
}

template <const Kind& kind>
std::vector<Finding> look(const Evidence& evidence) {
  return look_for(evidence, kind);
}

// Where a server does most of the work, whoever asks it may keep both waiting by how it asks.
std::vector<Finding> look_for_network(const Evidence& evidence) {
  std::vector<Finding> found = look_for(evidence, kNetwork);
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!found.empty() || !program || asks_peers(evidence, program->process)) return found;
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

// The process that started the program's, if it is in the run.
std::optional<std::size_t> parent_of(const Evidence& evidence, std::size_t process) {
  const std::vector<model::Process>& processes = evidence.run().processes;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (i != process && processes[i].pid == processes[process].ppid && evidence.selection().includes(processes[i]))
      return i;
  }
  return std::nullopt;
}

// Workers that have nothing to do while the one sleeps who has work for them.
std::vector<Finding> look_for_sleeping_parent(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  const std::optional<std::size_t> parent = program ? parent_of(evidence, program->process) : std::nullopt;
  const model::Thread* const thread = parent ? program_thread(evidence, *parent) : nullptr;
  if (thread == nullptr) return {};
  std::optional<std::int64_t> idle_ns;  // of the worker that had most to do
  for (const Workers& group : workers(evidence)) {
    for (const Worker& worker : group.all) {
      if (evidence.run().processes[worker.thread.process].ppid == evidence.run().processes[*parent].pid)
        idle_ns = std::min(idle_ns.value_or(worker.idle_ns), worker.idle_ns);
    }
  }
  if (!idle_ns) return {};
  std::vector<Finding> found = look_for(evidence, kSleep, ThreadOf{*parent, thread->slot}, idle_ns);
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
