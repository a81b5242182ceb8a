#include "report/findings/worker_times.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "report/findings/processors.hpp"
#include "report/findings/thread_time.hpp"
#include "report/fold/function_match.hpp"
#include "report/fold/waiting/accounting.hpp"
#include "report/model/wait_class.hpp"

namespace prof::findings {
namespace {

// Whether it is another thread that is waited for.
bool for_others(const std::optional<log::WaitClass>& what) { return !what || *what == log::WaitClass::Lock; }

bool is_idle(const Evidence& evidence, std::size_t process, std::uint32_t node) {
  const std::uint32_t at = evidence.lines().node_of(process, node);
  return at != fold::CallTree::kNoNode && evidence.idle()[at];
}

// Those that began about when the first one did: later ones are another round.
void keep_side_by_side(Workers& group) {
  std::uint64_t first = UINT64_MAX;
  std::int64_t longest = 0;
  for (const Worker& worker : group.all) {
    first = std::min(first, worker.start_ns);
    longest = std::max(longest, worker.life_ns());
  }
  std::erase_if(group.all, [&](const Worker& worker) {
    return static_cast<double>(worker.start_ns - first) > 0.25 * static_cast<double>(longest);
  });
}

class Finder {
 public:
  explicit Finder(const Evidence& evidence) : evidence_(evidence) {
    for (const fold::ThreadWall& row : evidence.thread_walls()) {
      const model::Thread& thread = *row.thread;
      // Rows that stand for several threads tell of none.
      if (thread.agent || thread.merged > 0) continue;
      Worker worker{{row.process, thread.slot}, thread.start_monotonic_ns, thread.end_monotonic_ns};
      worker.computed_ns = row.split.cpu_ns;
      worker.cpu_ns = model::saturated_sum(row.split.cpu_ns, row.split.run_queue_ns);
      add_waits(worker);
      if (thread.main)
        add_process(worker);
      else
        add_thread(worker, thread);
    }
  }

  std::vector<Workers> take() {
    std::vector<Workers> out;
    for (auto& [key, group] : threads_) out.push_back(std::move(group));
    for (auto& [key, group] : processes_) out.push_back(std::move(group));
    for (Workers& group : out) keep_side_by_side(group);
    std::erase_if(out, [](const Workers& group) { return group.all.size() < 2; });
    return out;
  }

 private:
  void add_waits(Worker& worker) const {
    const model::Process& process = evidence_.run().processes[worker.thread.process];
    for (const auto& row : process.tree.waits) {
      if (row.slot != worker.thread.slot) continue;
      const auto what = model::wait_class_of(process, process.tree.nodes[row.node].frame);
      if (is_idle(evidence_, worker.thread.process, row.node)) {
        worker.idle_ns = model::saturated_sum(worker.idle_ns, row.metric.blocked_ns());
        continue;
      }
      if (for_others(what) || *what == log::WaitClass::Sleep) continue;  // is at nothing
      worker.waited_ns = model::saturated_sum(worker.waited_ns, row.metric.blocked_ns());
      worker.waits = model::saturated_sum(worker.waits, row.metric.calls());
    }
  }

  void add_process(const Worker& worker) {
    const model::Process& process = evidence_.run().processes[worker.thread.process];
    if (loads_data(evidence_, worker.thread.process)) return;
    if (!runs_own_code(evidence_, worker.thread.process, worker.thread.slot)) return;
    Workers& group = processes_[{process.ppid, process.command(), outermost_own(worker.thread)}];
    group.processes = true;
    group.all.push_back(worker);
  }

  void add_thread(const Worker& worker, const model::Thread& thread) {
    if (!thread.start_routine || in_compute_pool(evidence_.run().processes[worker.thread.process], thread)) return;
    if (!runs_own_code(evidence_, worker.thread.process, worker.thread.slot)) return;
    threads_[{worker.thread.process, *thread.start_routine, outermost_own(worker.thread)}].all.push_back(worker);
  }

  // What a thread or a child of multiprocessing was made to run, as far as it is the user's own: libraries start all
  // theirs by one routine, and what is above that in a forked child its parent was doing.
  std::uint32_t outermost_own(const ThreadOf& thread) const {
    std::map<std::uint32_t, std::int64_t> sums;
    for (const StackTime& time : stack_times(evidence_.run().processes[thread.process], thread.slot)) {
      const std::uint32_t node = evidence_.lines().node_of(thread.process, time.node);
      if (node == fold::CallTree::kNoNode) continue;
      std::uint32_t function = UINT32_MAX;
      for (std::uint32_t at = node; at != 0; at = evidence_.lines().nodes()[at].parent) {
        if (evidence_.lines().function(at).file.find("/multiprocessing/") != std::string::npos) break;
        if (evidence_.own().function(evidence_.lines().function_id(at))) function = evidence_.lines().function_id(at);
      }
      if (function != UINT32_MAX) sums[function] = model::saturated_sum(sums[function], time.ns());
    }
    const auto most =
        std::max_element(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == sums.end() ? UINT32_MAX : most->first;
  }

  const Evidence& evidence_;
  std::map<std::tuple<std::size_t, std::uint32_t, std::uint32_t>, Workers> threads_;    // by routine and function
  std::map<std::tuple<std::uint32_t, std::string, std::uint32_t>, Workers> processes_;  // by parent, command, function
};

}  // namespace

std::vector<Workers> workers(const Evidence& evidence) { return Finder(evidence).take(); }

std::vector<Place> computing_places(const Evidence& evidence, const Worker& worker) {
  const std::size_t index = worker.thread.process;
  TimeByPlace sums(evidence);
  for (const StackTime& time : stack_times(evidence.run().processes[index], worker.thread.slot))
    sums.add(index, time.node, time.cpu_ns);
  return sums.top();
}

std::vector<Place> busy_places(const Evidence& evidence, const Worker& worker) {
  const std::size_t index = worker.thread.process;
  TimeByPlace sums(evidence);
  for (const StackTime& time : stack_times(evidence.run().processes[index], worker.thread.slot)) {
    if (time.blocked_ns > 0 && (for_others(time.waits) || is_idle(evidence, index, time.node))) continue;
    sums.add(index, time.node, time.ns());
  }
  return sums.top();
}

namespace {

// The server itself; in the processes that it makes its function is around theirs.
bool is_fork_server(const Evidence& evidence, std::size_t process) {
  const std::vector<std::string>& words = evidence.run().processes[process].argv;
  if (std::none_of(words.begin(), words.end(), [](const std::string& word) {
        return word.find("from multiprocessing.forkserver import main") != std::string::npos;
      }))
    return false;
  static constexpr fold::FunctionAt kServes[] = {{"/multiprocessing/forkserver.py", "_serve_one"}};
  const std::vector<bool>& serves =
      evidence.stacks(process, [](const symbols::Function& function) { return fold::is_any(function, kServes); });
  return std::find(serves.begin(), serves.end(), true) == serves.end();
}

std::optional<std::size_t> forked_by(const Evidence& evidence, std::size_t process) {
  const std::vector<model::Process>& processes = evidence.run().processes;
  const model::Process& child = processes[process];
  std::optional<std::size_t> out;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const model::Process& one = processes[i];
    if (i == process || one.pid != child.ppid || !evidence.selection().includes(one)) continue;
    if (one.start_monotonic_ns > child.start_monotonic_ns) continue;
    if (!out || one.start_monotonic_ns >= processes[*out].start_monotonic_ns) out = i;
  }
  return out;
}

}  // namespace

std::optional<std::size_t> parent_of(const Evidence& evidence, std::size_t process) {
  const std::optional<std::size_t> parent = forked_by(evidence, process);
  if (!parent || !is_fork_server(evidence, *parent)) return parent;
  const std::optional<std::size_t> asked = forked_by(evidence, *parent);
  return asked ? asked : parent;
}

std::int64_t waited_for_others(const Evidence& evidence, std::size_t process, bool for_processes) {
  const model::Thread* thread = program_thread(evidence, process);
  if (thread == nullptr) return 0;
  std::int64_t out = 0;
  const model::Process& of = evidence.run().processes[process];
  for (const StackTime& time : stack_times(of, thread->slot)) {
    if (!time.waits) continue;
    switch (*time.waits) {
      case log::WaitClass::Lock:
        out = model::saturated_sum(out, time.blocked_ns);
        break;
      case log::WaitClass::Pipe:
      case log::WaitClass::Poll:
      case log::WaitClass::Child:
        if (for_processes) out = model::saturated_sum(out, time.blocked_ns);
        break;
      default:
        break;
    }
  }
  return out;
}

}  // namespace prof::findings
