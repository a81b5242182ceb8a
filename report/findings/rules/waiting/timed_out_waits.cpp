// The program's thread waits for another one, and goes on only because its patience is over: nobody wakes it.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/model/wait_class.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace timed_out_waits {
namespace {

constexpr std::string_view kTimedWaits[] = {"pthread_cond_timedwait", "pthread_cond_clockwait", "sem_timedwait",
                                            "sem_clockwait"};

bool is_timed(std::string_view call) {
  return std::find(std::begin(kTimedWaits), std::end(kTimedWaits), call) != std::end(kTimedWaits);
}

// Of the thread's timed waits, exactly: how many there were, and how many ended by their time.
struct Counts {
  std::int64_t calls = 0, failed = 0;
};

Counts counts_of(const model::Process& process, std::uint32_t slot) {
  Counts out;
  for (const auto& row : process.tree.wait_totals) {
    const std::uint32_t name = process.tree.frames[row.frame].name;
    if (row.slot != slot || name >= process.names.size() || !is_timed(process.names[name].name) ||
        model::wait_class_of(process, row.frame) != log::WaitClass::Lock)
      continue;
    out.calls = model::saturated_sum(out.calls, row.metric.calls);
    out.failed = model::saturated_sum(out.failed, row.metric.failed);
  }
  return out;
}

// Most of its waits that may end so.
bool most_time_out(const Counts& counts) { return counts.failed >= kManyTimeouts && counts.failed >= counts.calls / 2; }

// Another thread of the program that runs the user's own code.
bool is_other(const Evidence& evidence, const ThreadOf& program, const fold::ThreadWall& row) {
  return row.process == program.process && row.thread->slot != program.slot && !row.thread->agent &&
         runs_own_code(evidence, row.process, row.thread->slot);
}

std::int64_t at_work_ns(const fold::ThreadWall& row) {
  return model::saturated_sum(row.split.cpu_ns, row.split.run_queue_ns);
}

// How long others were at work while the thread may have waited for them. Threads that do about as much as each other
// and wait for it in the same way, until their own time is over, share their work, and are at work at the same time.
std::int64_t work_meanwhile(const Evidence& evidence, const ThreadOf& thread) {
  std::int64_t work = work_of_children(evidence, thread.process);
  std::vector<std::int64_t> each, counted;
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    if (!is_other(evidence, thread, row)) continue;
    if (most_time_out(counts_of(evidence.run().processes[thread.process], row.thread->slot)))
      each.push_back(at_work_ns(row));
    else
      work = model::saturated_sum(work, at_work_ns(row));
  }
  std::sort(each.begin(), each.end(), std::greater<>());
  for (const std::int64_t its : each) {
    const bool alike = std::any_of(counted.begin(), counted.end(), [&](std::int64_t other) {
      return real(std::min(its, other)) >= kAlikeThreads * real(std::max(its, other));
    });
    if (alike) continue;
    counted.push_back(its);
    work = model::saturated_sum(work, its);
  }
  return work;
}

// How long others may have been at work at the same time as the thread.
std::int64_t beside(const Evidence& evidence, const ThreadOf& thread) {
  const std::optional<double> cpus = evidence.run().processes[thread.process].cpus;
  if (!cpus || *cpus < 2) return 0;
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    if (row.process == thread.process && row.thread->slot == thread.slot) return row.split.cpu_ns;
  }
  return 0;
}

const char* cannot(const Evidence& evidence) {
  return evidence.lines().waits_known() ? nullptr : "what threads waited for was not recorded";
}

// How long the program's thread was kept by waits that ended by their time.
struct Kept {
  TimeByPlace lines;
  Counts counts;
  std::int64_t waited_ns = 0, lost_ns = 0;
};

// Whether the source asks one of these where it waits.
bool asks_there(symbols::SourceFiles& files, const Place& place, std::initializer_list<std::string_view> words) {
  constexpr std::size_t kAbove = 2;
  const Lines& lines = files.file(place.file).lines;
  const auto number = static_cast<std::size_t>(place.line);
  if (place.line <= 0 || number > lines.size()) return false;
  for (std::size_t i = number - std::min(number, kAbove + 1); i < number; ++i) {
    const std::string_view code = code_of(lines[i], "//");
    if (std::any_of(words.begin(), words.end(), [&](std::string_view word) { return contains(code, word); }))
      return true;
  }
  return false;
}

// For room or for something to do: a thread that wakes up by the clock asks whether it is to end.
bool waits_for_room(symbols::SourceFiles& files, const Place& place) {
  return asks_there(files, place, {"size()", "empty()", "full", "count", ">=", "space", "room"});
}
// For room alone: it hands on what it makes, and does not wait until that is worked on.
bool hands_on(symbols::SourceFiles& files, const Place& place) {
  return asks_there(files, place, {">=", "full", "space", "room"});
}

// By its own ones.
std::optional<Kept> by_itself(const Evidence& evidence, const ThreadOf& program) {
  const Counts counts = counts_of(evidence.run().processes[program.process], program.slot);
  if (!most_time_out(counts)) return std::nullopt;
  Kept out{TimeByPlace(evidence), counts};
  for (const LineTime& time : line_times(evidence, program)) {
    if (time.waits != log::WaitClass::Lock || !is_timed(evidence.lines().function(time.node).name)) continue;
    if (out.lines.add(time.node, time.blocked_ns)) out.waited_ns = model::saturated_sum(out.waited_ns, time.blocked_ns);
  }
  // With nobody else, the time-out is the pace.
  const std::vector<fold::ThreadWall>& walls = evidence.thread_walls();
  if (std::none_of(walls.begin(), walls.end(),
                   [&](const fold::ThreadWall& row) { return is_other(evidence, program, row); })) {
    return std::nullopt;
  }
  std::int64_t meanwhile = work_meanwhile(evidence, program);
  // Who hands on is at work while they are, where there are processors for both: no wait is the shorter for that.
  symbols::SourceFiles& files = evidence.sources();
  const std::vector<Place> places = out.lines.top();
  if (!places.empty() && hands_on(files, places.front()))
    meanwhile = std::max<std::int64_t>(0, meanwhile - beside(evidence, program));
  out.lost_ns = std::max<std::int64_t>(0, out.waited_ns - meanwhile);
  return out;
}

// "BlockQueue" of "BlockQueue::push(Block)": whose waits are about the same thing, most likely. Empty: nobody's.
std::string_view class_of(std::string_view function) {
  function = function.substr(0, function.find('(', function.starts_with('(') ? function.find(')') : 0));
  const std::size_t colons = function.rfind("::");
  return colons == std::string_view::npos ? std::string_view() : function.substr(0, colons);
}

// By those of other threads, for which it waited at a lock or a condition of the same class meanwhile.
std::optional<Kept> by_others(const Evidence& evidence, const ThreadOf& program) {
  const model::Process& process = evidence.run().processes[program.process];
  symbols::SourceFiles& files = evidence.sources();
  Kept out{TimeByPlace(evidence), {}};
  std::set<std::string> classes;
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    if (!is_other(evidence, program, row)) continue;
    const Counts counts = counts_of(process, row.thread->slot);
    if (!most_time_out(counts)) continue;
    const std::int64_t before_ns = out.waited_ns;
    for (const StackTime& time : stack_times(process, row.thread->slot)) {
      const std::uint32_t node = evidence.lines().node_of(program.process, time.node);
      if (time.waits != log::WaitClass::Lock || node == fold::CallTree::kNoNode ||
          !is_timed(evidence.lines().function(node).name))
        continue;
      const std::optional<Place> place = evidence.own_place(node);
      if (!place || class_of(place->function).empty() || !waits_for_room(files, *place)) continue;
      classes.emplace(class_of(place->function));
      out.lines.add(node, time.blocked_ns);
      out.waited_ns = model::saturated_sum(out.waited_ns, time.blocked_ns);
    }
    if (out.waited_ns == before_ns) continue;
    out.counts.calls = model::saturated_sum(out.counts.calls, counts.calls);
    out.counts.failed = model::saturated_sum(out.counts.failed, counts.failed);
  }
  std::int64_t program_ns = 0;
  for (const LineTime& time : line_times(evidence, program)) {
    const std::optional<Place> place = evidence.own_place(time.node);
    if (time.waits != log::WaitClass::Lock || !place || !classes.contains(std::string(class_of(place->function))))
      continue;
    program_ns = model::saturated_sum(program_ns, time.blocked_ns);
  }
  out.lost_ns = std::max<std::int64_t>(0, std::min(program_ns, out.waited_ns) - work_beside(evidence, program));
  return out;
}

bool is_much(const Evidence& evidence, const ThreadOf& program, const std::optional<Kept>& kept) {
  return kept && kept->lost_ns >= kLeastWaitNs && share_of_life(evidence, program, kept->lost_ns) >= kWaitingLine;
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  // The interpreter's own threads ask for its lock with a time, to have it given to them.
  if (!program || evidence.run().processes[program->process].python) return {};
  // A program that does nothing else has nothing to do.
  if (static_cast<double>(evidence.run().cpu_ns) < kAtWork * static_cast<double>(evidence.run().wall_ns)) return {};
  std::optional<Kept> own = by_itself(evidence, *program);
  // The one that is judged may be a worker for which the main thread waits.
  if (!is_much(evidence, *program, own)) {
    const model::Thread* first = program_thread(evidence, program->process);
    if (first != nullptr && first->slot != program->slot) own = by_itself(evidence, {program->process, first->slot});
  }
  const bool itself = is_much(evidence, *program, own);
  const std::optional<Kept> kept = itself ? own : by_others(evidence, *program);
  if (!is_much(evidence, *program, kept)) return {};
  Finding finding;
  finding.rule = kTimedOutRule.name;
  finding.title = "Waits end by their time-out: nobody wakes the thread";
  const auto words = [](std::int64_t ns) { return show::duration(static_cast<double>(ns)); };
  finding.seen = fmt::format("{} of {} ended so; {} in all, ", show::grouped(kept->counts.failed),
                             show::counted(kept->counts.calls, "wait", "waits"), words(kept->waited_ns));
  finding.seen += itself ? fmt::format("{} more than the other threads were at work meanwhile.", words(kept->lost_ns))
                         : fmt::format("and for {} of them the program's thread waited for what they hold up.",
                                       words(kept->lost_ns));
  finding.advice =
      "Look whether what is waited for notifies this very condition, after it has changed the state, and whether the "
      "state is looked at under the same lock.";
  finding.places = kept->lines.top();
  could_save_of_run(finding, evidence, share_of_life(evidence, *program, kept->lost_ns));
  return {finding};
}

}  // namespace
}  // namespace timed_out_waits

const Rule kTimedOutRule{"timed-out-waits", "waits that end by their time-out", timed_out_waits::cannot,
                         timed_out_waits::look};

}  // namespace prof::findings
