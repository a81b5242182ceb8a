// Threads wait for locks that other threads hold: the program's own, or Python's global lock.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/waiting/contention.hpp"
#include "report/findings/rules/waiting/hand_over.hpp"
#include "report/findings/rules/waiting/lock_holder.hpp"
#include "report/findings/source_blocks.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace lock_contention {
namespace {

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
  symbols::SourceFiles& files = evidence.sources();
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
                         : "Hold locks for less: compute and wait before the lock is taken, give each thread data of "
                           "its own and bring them together at the end, or part the lock.";
    // Who holds a lock of Java's or .NET's is not known, and their views are full of the VM's own.
    if (!interpreter && !all.vm) finding.advice += " --view locks says which they are and who held them.";
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
    // What the program computes it still does, on the processors that there are.
    if (!interpreter && processors && !evidence.has_steps()) {
      const std::int64_t computed_ns = whole_number(real(all.cpu_ns) / std::max(1.0, *processors)),
                         life_ns = model::to_signed(evidence.run().processes[program->process].wall_ns());
      const double room = share_of_run(evidence, model::saturated_difference(life_ns, computed_ns));
      if (room < std::min(all.lost, side_by_side))
        finding.seen +=
            fmt::format(" What the program computes takes {} in any case.", show::duration(real(computed_ns)));
      side_by_side = std::min(side_by_side, room);
    }
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
