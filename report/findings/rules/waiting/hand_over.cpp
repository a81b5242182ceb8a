// Threads hand their work to each other one piece at a time, and wake each other for each.
#include "report/findings/rules/waiting/hand_over.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include "report/findings/below_own.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace hand_over {
namespace {

constexpr std::string_view kConditions[] = {"pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait",
                                            "cnd_wait", "cnd_timedwait"};
// Parts of the names of what takes and gives back the same, and wakes who waits.
constexpr std::string_view kWakes[] = {"cond_signal",  "cond_broadcast", "sem_post",  "mutex_lock",
                                       "mutex_unlock", "lll_lock",       "cnd_signal"};
constexpr std::string_view kSemaphores[] = {"sem_wait", "sem_timedwait", "sem_clockwait"};

// What takes a lock for the program's line: `with lock:`, and the properties of a shared value.
constexpr fold::FunctionAt kTakesLock[] = {{"/multiprocessing/synchronize.py", "__enter__"},
                                           {"/multiprocessing/sharedctypes.py", ""},
                                           {"<string>", "getvalue"},
                                           {"<string>", "setvalue"},
                                           {"<string>", "getraw"},
                                           {"<string>", "setraw"}};

enum class WaitsFor { Nothing, Work, Lock };

struct OfThread {
  explicit OfThread(const Evidence& evidence) : lines(evidence) {}
  std::int64_t ns = 0, calls = 0;
  std::set<std::uint32_t> locations;  // of own code that waits
  TimeByPlace lines;
};

bool hands_over(const OfThread& thread) {
  return thread.calls >= kManyHandOvers && thread.ns / thread.calls <= kShortHandOverNs;
}

const char* cannot(const Evidence& evidence) {
  return evidence.lines().waits_known() ? nullptr : "what threads waited for was not recorded";
}

// `wait` is of the process's tree, `node` the same of Evidence::lines().
WaitsFor waits_for(const Evidence& evidence, std::size_t process, std::uint32_t wait, std::uint32_t node) {
  const fold::CallTree& lines = evidence.lines();
  const bool condition = is_one_of(lines.function(node).name, kConditions);
  if (!condition && !is_one_of(lines.function(node).name, kSemaphores)) return WaitsFor::Nothing;
  const bool interpreter = called_by_interpreter(evidence, process, wait);
  // By a condition it waits for its global lock, by a semaphore for a lock of Python's: where the program takes that
  // itself, and not a queue for it, nothing is handed over.
  if (interpreter && condition) return WaitsFor::Nothing;
  bool queue = false, lock = false, of_process = false;
  for (node = lines.nodes()[node].parent; node != 0; node = lines.nodes()[node].parent) {
    const symbols::Function& function = lines.function(node);
    if (evidence.own().function(lines.function_id(node))) {
      if (queue) return WaitsFor::Work;
      // acquire() of a lock and of a semaphore that is a signal look the same.
      return lock ? WaitsFor::Lock : interpreter || of_process ? WaitsFor::Nothing : WaitsFor::Work;
    }
    of_process |= function.module.find("/_multiprocessing.") != std::string::npos;
    if (function.language != symbols::Language::Python) continue;
    (fold::is_any(function, kTakesLock) ? lock : queue) = true;
  }
  return WaitsFor::Nothing;
}

bool wakes(const symbols::Function& function) {
  return function.language == symbols::Language::Native &&
         std::any_of(std::begin(kWakes), std::end(kWakes),
                     [&](std::string_view part) { return function.name.find(part) != std::string::npos; });
}

// CPU and blocked time of the thread at those lines, and what their functions take to wake others.
std::int64_t time_of_lines(const Evidence& evidence, const ThreadOf& thread, const std::set<std::uint32_t>& locations) {
  const std::vector<bool> waking = below_own(evidence, wakes);
  std::set<std::uint32_t> functions;
  for (const std::uint32_t location : locations) functions.insert(evidence.symbols().location(location).function);
  const double queue = queue_factor(evidence, thread);
  std::int64_t out = 0;
  for (const StackTime& time : stack_times(evidence.run().processes[thread.process], thread.slot)) {
    const std::uint32_t node = evidence.lines().node_of(thread.process, time.node);
    if (node == fold::CallTree::kNoNode) continue;
    const auto ns = model::saturated_sum(time.blocked_ns, whole_number(queue * real(time.cpu_ns)));
    const std::uint32_t location = evidence.own_location(node);
    const bool wakes_there = waking[node] && functions.contains(evidence.symbols().location(location).function);
    if (locations.contains(location) || wakes_there) out = model::saturated_sum(out, ns);
  }
  return out;
}

// What the thread computes but for waking others. `waking`: by node of Evidence::lines().
std::int64_t work_of(const Evidence& evidence, const ThreadOf& thread, const std::vector<bool>& waking) {
  const double queue = queue_factor(evidence, thread);
  double out = 0;
  for (const StackTime& time : stack_times(evidence.run().processes[thread.process], thread.slot)) {
    const std::uint32_t node = evidence.lines().node_of(thread.process, time.node);
    if (node == fold::CallTree::kNoNode || !waking[node]) out += queue * real(time.cpu_ns);
  }
  return whole_number(out);
}

// Of the thread that is told of.
struct Told {
  OfThread thread;
  std::int64_t with_waking_ns = 0;  // of the same thread
  std::int64_t lost_ns = 0;         // what all lose at least
};

std::optional<Told> short_waits(const Evidence& evidence, WaitsFor what) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return std::nullopt;
  const model::Process& process = evidence.run().processes[program->process];
  std::map<std::uint32_t, OfThread> by_slot;
  for (const auto& row : process.tree.waits) {
    const std::uint32_t node = evidence.lines().node_of(program->process, row.node);
    if (node == fold::CallTree::kNoNode || waits_for(evidence, program->process, row.node, node) != what) continue;
    OfThread& thread = by_slot.try_emplace(row.slot, evidence).first->second;
    thread.ns = model::saturated_sum(thread.ns, row.metric.blocked_ns());
    thread.calls = model::saturated_sum(thread.calls, row.metric.calls());
    thread.locations.insert(evidence.own_location(node));
    thread.lines.add(program->process, row.node, row.metric.blocked_ns());
  }
  // The program's own thread is the one to speak of; where others alone hand over, the one that loses most by it.
  const model::Thread* main = program_thread(evidence, program->process);
  const OfThread *told = nullptr, *of_main = nullptr;
  std::int64_t told_ns = 0, ns = 0;  // with what it takes to wake others: of that thread, and what all lose at least
  for (const auto& [slot, thread] : by_slot) {
    if (!hands_over(thread)) continue;
    const std::int64_t whole = time_of_lines(evidence, {program->process, slot}, thread.locations);
    // Who waits least of those that wake each other is busy for the rest of the time, whatever the others do.
    ns = told == nullptr ? whole : std::min(ns, whole);
    const bool of_program = main != nullptr && slot == main->slot;
    if (told != nullptr && !of_program && (told == of_main || whole <= told_ns)) continue;
    if (of_program) of_main = &thread;
    told = &thread;
    told_ns = whole;
  }
  if (told == nullptr) return std::nullopt;
  // Who has work all the time and hardly ever waits is done no sooner.
  const std::vector<bool> waking = below_own(evidence, wakes);
  const std::int64_t life = model::to_signed(process.wall_ns());
  for (const model::Thread& thread : process.threads) {
    const auto waits = by_slot.find(thread.slot);
    if (thread.agent || (waits != by_slot.end() && hands_over(waits->second))) continue;
    ns = std::min(ns, model::saturated_difference(life, work_of(evidence, {program->process, thread.slot}, waking)));
  }
  return Told{*told, told_ns, std::max<std::int64_t>(0, ns)};
}

// Nothing where it is too little.
std::optional<Finding> finding_of(const Evidence& evidence, const Told& told, const std::string& seen) {
  const double share = share_of_run(evidence, told.lost_ns);
  if (share < kActivity || told.lost_ns < kLeastActivityNs) return std::nullopt;
  Finding finding;
  finding.seen = seen;
  finding.places = told.thread.lines.top();
  could_save_time(finding, evidence, told.lost_ns);
  return finding;
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<Told> told = short_waits(evidence, WaitsFor::Work);
  if (!told) return {};
  std::string seen = fmt::format("One thread waited {} times for another, {} in all, {} each on average",
                                 show::grouped(told->thread.calls), show::duration(real(told->thread.ns)),
                                 show::duration(real(told->thread.ns) / real(told->thread.calls)));
  seen += told->with_waking_ns > told->thread.ns
              ? fmt::format("; {} with the waking of the other.", show::duration(real(told->with_waking_ns)))
              : ".";
  std::optional<Finding> finding = finding_of(evidence, *told, seen);
  if (!finding) return {};
  finding->rule = kHandOverRule.name;
  finding->title = "Threads hand work over one piece at a time";
  finding->advice =
      "Hand over many pieces at once (a batch, a queue that takes all that is there), let one thread do both halves of "
      "a small piece, or spin for a moment before sleeping.";
  return {*finding};
}

}  // namespace
}  // namespace hand_over

std::optional<Finding> lock_for_each_piece(const Evidence& evidence) {
  const std::optional<hand_over::Told> told = hand_over::short_waits(evidence, hand_over::WaitsFor::Lock);
  if (!told) return std::nullopt;
  std::optional<Finding> finding = hand_over::finding_of(
      evidence, *told,
      fmt::format("One process waited {} times for the lock, {} in all, {} each on average; {} with the taking and "
                  "giving back, and what is done under it at the same line.",
                  show::grouped(told->thread.calls), show::duration(real(told->thread.ns)),
                  show::duration(real(told->thread.ns) / real(told->thread.calls)),
                  show::duration(real(std::max(told->thread.ns, told->with_waking_ns)))));
  if (!finding) return std::nullopt;
  finding->title = "Processes take a lock for each small piece of work";
  finding->advice =
      "Add up in the process itself and take the lock once at the end, or for every thousandth piece; or give the "
      "results back (Pool.imap with a chunksize) and add them up in the parent.";
  return finding;
}

const Rule kHandOverRule{"hand-overs", "work that threads hand over one piece at a time", hand_over::cannot,
                         hand_over::look};

}  // namespace prof::findings
