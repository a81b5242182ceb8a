#include "report/findings/rules/waiting/waiting_saving.hpp"

#include <algorithm>

#include "report/findings/event_loop.hpp"
#include "report/findings/peers.hpp"
#include "report/findings/processors.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/shared/process_tree.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"

namespace prof::findings::waiting {
namespace {

constexpr double kSeveralInATurn = 2;

// Whether nearly all that blocked the loop was one of several kinds of tasks: then it may be one task, whose calls come
// one after the other, and nothing tells how many of the tasks that are gathered do the like. The main task is one of
// them.
bool one_of_several_tasks(const Evidence& evidence, const ThreadOf& program, const Sum& sum) {
  constexpr std::size_t kSeveral = 3;
  constexpr double kNearlyAll = 0.9;
  const auto most = sum.most();
  if (most == sum.tasks.end() || most->first.empty() || real(most->second) < kNearlyAll * real(sum.ns)) return false;
  return tasks_of(evidence, program).size() >= kSeveral;
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
  // How much of it, nobody knows: what it computes may be about all the answers.
  const std::int64_t beside = both ? std::min(peers.elsewhere_ns, own_work(evidence, thread)) / 2 : 0;
  // A loop waits for all its sockets in one call, which is of none of them.
  const std::int64_t most = &kind == &kAwaits ? sum.peers_ns : std::min(sum.peers_ns, peers.talk_ns);
  return std::min(peers.work_ns - beside, most);
}

AtOnce at_once_of(const Evidence& evidence, const Kind& kind, const ThreadOf& thread, const Sum& sum,
                  symbols::SourceFiles& files) {
  AtOnce out;
  const double in_a_turn = waits_in_a_turn(evidence, sum.locations, sum.long_calls);
  const std::int64_t connections = blocks_loop(kind) && sum.ns > 0
                                       ? connections_served(evidence, thread, files, sum.lines.top(), sum.most()->first)
                                       : 0;
  // Connections may come one after the other.
  out.served = in_a_turn > 0 ? std::min(connections, whole_number(in_a_turn)) : connections;
  const bool in_turn = connections > 1 && out.served <= 1;
  out.one_task = blocks_loop(kind) && out.served <= 1 &&
                 (in_turn || (one_of_several_tasks(evidence, thread, sum) && in_a_turn < kSeveralInATurn));
  // Not all that are gathered need do this, nor at the same time.
  out.gathered = gathered_at_once(evidence, thread);
  out.together = in_a_turn >= kSeveralInATurn ? std::min(out.gathered, whole_number(in_a_turn)) : out.gathered;
  out.tasks = out.one_task ? 0 : out.served > 1 ? out.served : out.together;
  out.several = !out.one_task && (out.tasks > 1 || in_a_turn >= kSeveralInATurn);
  return out;
}

// What others computed meanwhile, and has to be waited for in any case.
std::int64_t work_of(const Evidence& evidence, const Kind& kind, const ThreadOf& thread, const Sum& sum, bool several) {
  if (sleeps(kind)) return work_meanwhile(evidence, thread);
  if (&kind == &kNetwork || &kind == &kAwaits || blocks_loop(kind))
    return waited_for_work(evidence, thread, kind, sum, several);
  // What children compute for a pipe they need in any case; only as much as the thread computes itself can be beside
  // it.
  if (&kind == &kPipe) return model::saturated_difference(work_beside(evidence, thread), own_work(evidence, thread));
  return 0;
}

}  // namespace

Saving saving_of(const Evidence& evidence, const Kind& kind, const ThreadOf& thread, const Sum& sum,
                 symbols::SourceFiles& files, std::optional<std::int64_t> most_ns) {
  Saving out;
  out.at_once = at_once_of(evidence, kind, thread, sum, files);
  // What one task waits for is waited for in any case; others can do their work meanwhile, and there is no more of it.
  const std::int64_t life_ns = model::to_signed(evidence.run().processes[thread.process].wall_ns());
  out.others_ns = std::max<std::int64_t>(0, life_ns - sum.ns);
  // What is done at once takes as long as one part of it.
  out.left_ns = out.at_once.one_task    ? std::max<std::int64_t>(0, sum.ns - out.others_ns)
                : out.at_once.tasks > 1 ? sum.gathered_ns / out.at_once.tasks
                                        : 0;
  out.work_ns = most_ns ? std::max<std::int64_t>(0, sum.ns - *most_ns)
                        : work_of(evidence, kind, thread, sum, out.at_once.several);
  out.ns = sum.ns - std::clamp<std::int64_t>(out.work_ns, out.left_ns, sum.ns);
  // Children are done sooner when nobody records them.
  if (&kind == &kChild) out.recording_ns = std::min(out.ns, profiling_children_ns(evidence, thread.process));
  out.ns -= out.recording_ns;
  return out;
}

}  // namespace prof::findings::waiting
