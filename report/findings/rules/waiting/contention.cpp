#include "report/findings/rules/waiting/contention.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/findings/places.hpp"
#include "report/findings/rules/shared/object_locks.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/fold/waiting/vm_waits.hpp"
#include "report/model/text.hpp"
#include "report/model/wait_class.hpp"

namespace prof::findings::lock_contention {
namespace {

constexpr std::array<std::string_view, 5> kConditions = {"pthread_cond_wait", "pthread_cond_timedwait",
                                                         "pthread_cond_clockwait", "cnd_wait", "cnd_timedwait"};
constexpr std::array<std::string_view, 3> kSemaphores = {"sem_wait", "sem_timedwait", "sem_clockwait"};

bool acquires(std::string_view name) {
  return name.starts_with("pthread_mutex_") || name.starts_with("pthread_rwlock_") ||
         name.starts_with("pthread_spin_") || name.starts_with("mtx_");
}

// Code that waits until there is something to do, or until another thread is done: no lock is short there.
bool waits_by_intent(const symbols::Function& function) {
  if (function.language == symbols::Language::Native) return function.module.find("/_queue.") != std::string::npos;
  if (function.language != symbols::Language::Python) return false;
  constexpr std::array<std::string_view, 6> kFiles = {"/threading.py",     "/queue.py", "/concurrent/futures/",
                                                      "/multiprocessing/", "/asyncio/", "/selectors.py"};
  return std::any_of(kFiles.begin(), kFiles.end(),
                     [&](std::string_view part) { return function.file.find(part) != std::string::npos; });
}

bool of_vm(const symbols::Function& function) {
  return function.module.ends_with("/libjvm.so") || function.module.ends_with("/libcoreclr.so");
}

// Threads that pools keep to hand work out and to take results: nobody waits for them for long.
bool helps(const symbols::Function& function) {
  static constexpr fold::FunctionAt kHelpers[] = {
      {"/multiprocessing/pool.py", "_handle_tasks"},   {"/multiprocessing/pool.py", "_handle_results"},
      {"/multiprocessing/pool.py", "_handle_workers"}, {"/multiprocessing/queues.py", "_feed"},
      {"/concurrent/futures/process.py", "run"},       {"/tqdm/_monitor.py", "run"}};
  return fold::is_any(function, kHelpers);
}

// By node of a process's tree, what a wait there is for.
class Kinds {
 public:
  Kinds(const Evidence& evidence, std::size_t process)
      : evidence_(evidence),
        index_(process),
        process_(evidence.run().processes[process]),
        intended_(innermost_with(evidence, process, waits_by_intent)),
        helpers_(stacks_with(evidence, process, helps)),
        imports_(evidence.imports(process)),
        vm_(evidence.stacks(process, of_vm)),
        vm_locks_(evidence.stacks(process, fold::takes_vm_lock)),
        objects_(evidence.stacks(process, waits_for_object)),
        stopped_(evidence.stacks(process, waits_for_all_threads)) {}

  Held of(std::uint32_t node) const {
    const model::Tree& tree = process_.tree;
    const std::uint32_t frame = tree.nodes[node].frame;
    if (imports_[node] || objects_[node] || stopped_[node]) return Held::Nothing;
    if (model::wait_class_of(process_, frame) != log::WaitClass::Lock) return Held::Nothing;
    if (tree.nodes[node].parent == 0) return Held::Nothing;  // of workers without work
    const std::string& name = process_.names[tree.frames[frame].name].name;
    // Locks of a VM's own (Java, .NET) are not the program's.
    if (acquires(name)) return vm_[node] ? Held::Nothing : Held::Lock;
    const bool interpreter = called_by_interpreter(evidence_, index_, node);
    // The interpreter waits for nothing but its global lock by a condition: locks of Python are semaphores.
    if (is_one_of(name, kConditions) && vm_locks_[node]) return is_below_own(node) ? Held::Lock : Held::Nothing;
    if (is_one_of(name, kConditions)) return interpreter && !helpers_[node] ? Held::Interpreter : Held::Nothing;
    if (is_one_of(name, kSemaphores) && interpreter && !intended_[node] && is_below_own(node)) return Held::Lock;
    return Held::Nothing;
  }

 private:
  // Libraries make queues of locks of Python's, too, and their workers wait there for work.
  bool is_below_own(std::uint32_t node) const {
    const std::uint32_t line = evidence_.lines().node_of(index_, node);
    return line != fold::CallTree::kNoNode && evidence_.own_location(line) != 0;
  }

  const Evidence& evidence_;
  std::size_t index_;
  const model::Process& process_;
  std::vector<bool> intended_, helpers_, imports_;
  const std::vector<bool>& vm_;
  const std::vector<bool>& vm_locks_;
  const std::vector<bool>& objects_;  // their locks have a rule of their own
  const std::vector<bool>& stopped_;
};

// Whether a sample at that node of the process's tree was of the interpreter's own code: what libraries compute, they
// mostly compute with the global lock given up.
bool in_interpreter(const Evidence& evidence, std::size_t process, std::uint32_t node) {
  const std::uint32_t line = evidence.lines().node_of(process, node);
  if (line == fold::CallTree::kNoNode) return false;
  const symbols::Function& function = evidence.lines().function(line);
  return function.interpreter || function.language == symbols::Language::Python;
}

bool runs_in_vm(const model::Process& process) {
  return model::has_library(process, "/libjvm.so") || model::has_library(process, "/libcoreclr.so");
}

// Threads that lived one after the other, as servers have one for each request: together they lose what one that lasts
// would have lost.
struct Row {
  std::int64_t waited = 0, threads = 0;
};

// By when the last of each ends. `threads`: in the order of their start, with what each waited.
std::multimap<std::uint64_t, Row> rows_of(const std::vector<std::pair<const model::Thread*, std::int64_t>>& threads) {
  std::multimap<std::uint64_t, Row> rows;
  for (const auto& [thread, waited] : threads) {
    Row row;
    if (const auto later = rows.upper_bound(thread->start_monotonic_ns); later != rows.begin()) {
      const auto before = std::prev(later);
      row = before->second;
      rows.erase(before);
    }
    row.waited = model::saturated_sum(row.waited, waited);
    ++row.threads;
    rows.emplace(thread->end_monotonic_ns, row);
  }
  return rows;
}

}  // namespace

Contention contention(const Evidence& evidence, const ThreadOf& program, Held what) {
  const std::size_t index = program.process;
  const model::Process& process = evidence.run().processes[index];
  const double wall = std::max(1.0, real(model::to_signed(process.wall_ns())));
  const Kinds kinds(evidence, index);
  Contention out(evidence);
  out.vm = runs_in_vm(process);
  // Locks of a VM compute themselves before they wait.
  const std::vector<bool> locking = out.vm ? evidence.stacks(index, fold::takes_vm_lock) : std::vector<bool>();
  struct OfThread {
    std::int64_t waited = 0, cpu = 0, interpreted = 0, program = 0;
  };
  std::map<std::uint32_t, OfThread> by_slot;
  for (const auto& row : process.tree.cpu) {
    OfThread& thread = by_slot[row.slot];
    thread.cpu = model::saturated_sum(thread.cpu, row.metric.ns);
    if (in_interpreter(evidence, index, row.node))
      thread.interpreted = model::saturated_sum(thread.interpreted, row.metric.ns);
    if (!out.vm || !locking[row.node]) thread.program = model::saturated_sum(thread.program, row.metric.ns);
  }
  for (const auto& row : process.tree.waits) {
    const std::int64_t ns = row.metric.blocked_ns();
    if (ns <= 0 || kinds.of(row.node) != what) continue;
    OfThread& thread = by_slot[row.slot];
    thread.waited = model::saturated_sum(thread.waited, ns);
    out.calls = model::saturated_sum(out.calls, row.metric.calls());
    out.lines.add(index, row.node, ns);
  }
  for (const model::Thread& thread : process.threads) {
    const auto found = by_slot.find(thread.slot);
    if (!process.stands_still || found == by_slot.end()) continue;
    if (!thread.use.open_node || kinds.of(*thread.use.open_node) != what) continue;
    const std::uint64_t since =
        std::min(std::max(thread.use.open_since_ns, thread.start_monotonic_ns), thread.end_monotonic_ns);
    if (model::to_signed(thread.end_monotonic_ns - since) >= found->second.waited / 2) ++out.still;
  }
  std::int64_t at_work = 0;
  std::map<std::uint32_t, std::int64_t> waited;  // by slot, of all but the program's thread
  for (const auto& [slot, thread] : by_slot) {
    if (thread.waited <= 0) continue;
    // Who has hardly anything to compute would be done no sooner.
    if (what == Held::Interpreter && real(thread.cpu) < kComputes * real(thread.waited)) continue;
    ++out.threads;
    // Who was at work alone for a while, too, did not wait for as long.
    out.interpreted_ns = model::saturated_sum(out.interpreted_ns, std::min(thread.interpreted, thread.waited));
    out.ns = model::saturated_sum(out.ns, thread.waited);
    if (program.slot == slot) {
      out.lost = thread_share(evidence, program, thread.waited);
      out.worst_ns = thread.waited;
    } else {
      waited[slot] = thread.waited;
    }
    at_work = model::saturated_sum(at_work, model::saturated_sum(thread.waited, thread.cpu));
  }
  out.of_program = out.worst_ns > 0;
  std::vector<std::pair<const model::Thread*, std::int64_t>> others;
  for (const model::Thread& thread : process.threads) {
    if (!thread.agent) out.cpu_ns = model::saturated_sum(out.cpu_ns, by_slot[thread.slot].program);
    if (thread.main) out.joins = real(by_slot[thread.slot].cpu) < kOnlyJoins * wall;
    if (!thread.main && !thread.agent && runs_own_code(evidence, index, thread.slot)) ++out.beside;
    if (const auto found = waited.find(thread.slot); found != waited.end()) others.emplace_back(&thread, found->second);
  }
  std::stable_sort(others.begin(), others.end(), [](const auto& a, const auto& b) {
    return a.first->start_monotonic_ns < b.first->start_monotonic_ns;
  });
  for (const auto& [end_ns, row] : rows_of(others)) {
    const double lost = std::min(1.0, real(row.waited) / wall);
    if (lost <= out.lost) continue;
    out.lost = lost;
    out.worst_ns = row.waited;
    out.in_a_row = row.threads;
    out.of_program = false;
  }
  if (at_work > 0) out.share = real(out.ns) / real(at_work);
  return out;
}

}  // namespace prof::findings::lock_contention
