// Threads wait for locks that other threads hold: the program's own, or Python's global lock.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/hand_over.hpp"
#include "report/findings/rules/lock_holder.hpp"
#include "report/findings/source_blocks.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/model/text.hpp"
#include "report/model/wait_class.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace lock_contention {
namespace {

enum class Held { Nothing, Lock, Interpreter };

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
        imports_(evidence.imports(process)) {}

  Held of(std::uint32_t node) const {
    const model::Tree& tree = process_.tree;
    const std::uint32_t frame = tree.nodes[node].frame;
    if (imports_[node] || model::wait_class_of(process_, frame) != log::WaitClass::Lock) return Held::Nothing;
    if (tree.nodes[node].parent == 0) return Held::Nothing;  // of workers without work
    const std::string& name = process_.names[tree.frames[frame].name].name;
    if (acquires(name)) return Held::Lock;
    const bool interpreter = called_by_interpreter(evidence_, index_, node);
    // The interpreter waits for nothing but its global lock by a condition: locks of Python are semaphores.
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
};

struct Contention {
  explicit Contention(const Evidence& evidence) : lines(evidence) {}
  std::int64_t ns = 0, calls = 0;
  std::int64_t worst_ns = 0;  // of the one thread, or of those one after the other, that lost the largest share
  std::int64_t in_a_row = 1;  // how many these are
  double lost = 0;            // that share: of the steps' time, else of the process's
  double share = 0;           // of the life of the threads that waited for it, or computed
  bool of_program = false;    // the program's thread is the one that lost most
  std::int64_t threads = 0;
  bool joins = false;       // the program's thread has nothing to do itself, so that one of the others holds the lock
  std::int64_t beside = 0;  // threads of the user's own code but the program's, whether they waited for it or not
  std::int64_t still = 0;   // threads that waited for it to the end, for most of what they waited
  std::int64_t interpreted_ns = 0;  // CPU time of these threads in the interpreter itself
  TimeByPlace lines;
};

// Whether a sample at that node of the process's tree was of the interpreter's own code: what libraries compute, they
// mostly compute with the global lock given up.
bool in_interpreter(const Evidence& evidence, std::size_t process, std::uint32_t node) {
  const std::uint32_t line = evidence.lines().node_of(process, node);
  if (line == fold::CallTree::kNoNode) return false;
  const symbols::Function& function = evidence.lines().function(line);
  return function.interpreter || function.language == symbols::Language::Python;
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

Contention contention(const Evidence& evidence, const ThreadOf& program, Held what) {
  const std::size_t index = program.process;
  const model::Process& process = evidence.run().processes[index];
  const double wall = std::max(1.0, real(model::to_signed(process.wall_ns())));
  const Kinds kinds(evidence, index);
  Contention out(evidence);
  struct OfThread {
    std::int64_t waited = 0, cpu = 0, interpreted = 0;
  };
  std::map<std::uint32_t, OfThread> by_slot;
  for (const auto& row : process.tree.cpu) {
    OfThread& thread = by_slot[row.slot];
    thread.cpu = model::saturated_sum(thread.cpu, row.metric.ns);
    if (in_interpreter(evidence, index, row.node))
      thread.interpreted = model::saturated_sum(thread.interpreted, row.metric.ns);
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

// Where nothing else went on any more, what the locks say of each other.
void tell_standstill(Finding& finding, const Contention& all, const model::Process& process) {
  const bool runs = process.ending == model::Ending::Running;
  if (all.still > 1) {
    finding.seen += fmt::format(" {} of them {}, and no other thread was at work.", show::grouped(all.still),
                                runs ? "still wait" : "waited to the end");
    finding.advice =
        "It looks as if each holds what another one waits for (a deadlock): take locks in the same order everywhere, "
        "or no second one while holding the first.";
    return;
  }
  const bool alone = model::living_threads(process) == 1;
  finding.title =
      alone ? "A thread waits for a lock that it holds itself" : "A thread waits for a lock that is never released";
  finding.seen += fmt::format(
      " It {}, and {}.", runs ? "still waits" : "waited to the end",
      alone ? "there was no other thread that could have released the lock" : "all others waited for threads, too");
  finding.advice = fmt::format(
      "{}: release it before calling what takes it again, or make it recursive (threading.RLock, "
      "std::recursive_mutex, PTHREAD_MUTEX_RECURSIVE).",
      alone
          ? "The thread holds it already, or one that has ended does"
          : "It looks as if the thread holds it already, or as if the one that holds it waits for this thread (a join "
            "inside of the lock)");
}

// What the lock of Python is held for, where its block has one line that takes most of that.
void tell_what_for(Finding& finding, const Evidence& evidence, const Contention& all) {
  constexpr double kMostOfIt = 0.5;
  symbols::SourceFiles files(evidence.run());
  const auto most = most_in_block(evidence, files, finding.places.front());
  if (!most || real(most->ns) < kMostOfIt * real(most->all_ns)) return;
  // Where others waited for longer than that, somebody else held it.
  if (real(most->all_ns) < real(all.worst_ns)) return;
  finding.seen += fmt::format(" Of {} in the block of that line, {} went by in line {}.",
                              show::duration(real(most->all_ns)), show::duration(real(most->ns)), most->place.line);
  std::erase(finding.places, most->place);
  finding.places.insert(finding.places.begin() + 1, most->place);
  if (finding.places.size() > 3) finding.places.pop_back();
}

const char* cannot(const Evidence& evidence) {
  return evidence.lines().waits_known() ? nullptr : "what threads waited for was not recorded";
}

// The program's thread, and the first one of the process that lived longest where that one did not compute most: one
// that waits computes little, and its short children much.
std::vector<ThreadOf> programs(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return {};
  std::vector<ThreadOf> out{*program};
  if (evidence.has_steps()) return out;
  const std::vector<model::Process>& processes = evidence.run().processes;
  std::size_t longest = program->process;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (evidence.selection().includes(processes[i]) && processes[i].wall_ns() > processes[longest].wall_ns())
      longest = i;
  }
  if (longest == program->process) return out;
  if (const model::Thread* thread = program_thread(evidence, longest)) out.push_back({longest, thread->slot});
  return out;
}

bool worth_telling(const Evidence& evidence, const Contention& all) {
  if (all.share < kLockContention || all.lost < kLockContentionOfWall) return false;
  return all.worst_ns >= kLeastWaitNs || evidence.has_steps();
}

std::vector<Finding> look(const Evidence& evidence) {
  std::vector<Finding> out;
  const std::vector<ThreadOf> candidates = programs(evidence);
  if (candidates.empty()) return out;
  for (const Held what : {Held::Lock, Held::Interpreter}) {
    const ThreadOf* program = &candidates.front();
    Contention all = contention(evidence, *program, what);
    if (!worth_telling(evidence, all) && candidates.size() > 1) {
      program = &candidates.back();
      all = contention(evidence, *program, what);
    }
    if (!worth_telling(evidence, all)) continue;
    Finding finding;
    finding.rule = kLockContentionRule.name;
    const bool interpreter = what == Held::Interpreter;
    finding.title = interpreter ? "Threads wait for Python's global lock" : "Threads wait for locks that others hold";
    finding.seen = fmt::format(
        "{} waited {} times for {}, {} in all: {} % of the time in which they computed or waited for it. {} lost {}.",
        show::counted(all.threads, "thread", "threads"), show::grouped(all.calls),
        interpreter ? "the interpreter's global lock" : "locks", show::duration(real(all.ns)),
        show::percent(all.share, 1),
        all.in_a_row > 1 ? fmt::format("{} of them, one after the other,", show::grouped(all.in_a_row))
                         : std::string("The one that lost most"),
        show::duration(real(all.worst_ns)));
    finding.advice = interpreter
                         ? "Only one thread at a time runs code of Python: compute in processes (multiprocessing, "
                           "workers of a DataLoader), or in operations on whole arrays, which give the lock up."
                         : "Hold locks for less: compute before the lock is taken, give each thread data of its "
                           "own and bring them together at the end, or part the lock. --view locks says which "
                           "they are and who held them.";
    if (!interpreter && (all.still > 1 || (all.still == 1 && all.threads == 1)))
      tell_standstill(finding, all, evidence.run().processes[program->process]);
    finding.places = all.lines.top();
    if (finding.places.empty()) continue;  // locks of somebody else's program
    if (!interpreter) {
      tell_what_for(finding, evidence, all);
      finding.seen += holder_words(evidence, program->process, finding.places);
    }
    // Without it threads would run side by side, on the processors that there are.
    const std::optional<double> processors = evidence.run().processes[program->process].cpus;
    double side_by_side = interpreter && processors ? 1 - 1 / std::max(1.0, *processors) : 1;
    // One of the others holds the lock while they wait: what was done under it takes them no less than their part of
    // it.
    if (!interpreter && !all.of_program && all.joins && all.beside > 1) side_by_side = 1 - 1 / real(all.beside);
    // Nor than what had to be done one after the other.
    const double interpreted = std::min(1.0, stretched(evidence) * share_of_run(evidence, all.interpreted_ns));
    const double most = interpreter ? side_by_side * interpreted : side_by_side;
    if (most < kLockContentionOfWall) continue;
    could_save(finding, evidence, std::min(all.lost, most));
    if (interpreter) finding.about = interpreted;
    out.push_back(std::move(finding));
  }
  if (std::optional<Finding> finding = lock_for_each_piece(evidence)) {
    finding->rule = kLockContentionRule.name;
    out.push_back(std::move(*finding));
  }
  return out;
}

}  // namespace
}  // namespace lock_contention

const Rule kLockContentionRule{"lock-contention", "threads that wait for locks", lock_contention::cannot,
                               lock_contention::look};

}  // namespace prof::findings
