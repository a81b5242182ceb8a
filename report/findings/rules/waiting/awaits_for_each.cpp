// A task of a server asks its peers one after the other, in a loop, for each request that it answers.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/findings/event_loop.hpp"
#include "report/findings/peers.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/waiting/waiting_kinds.hpp"
#include "report/findings/socket_calls.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace awaits_for_each {
namespace {

// Whether the line's statement asks for what it awaits: "page = await ask(id)", "async with get(url) as reply".
bool asks(std::string_view code) {
  constexpr std::string_view kAsked[] = {"= await ", "(await ",       "[await ",      "{await ",
                                         ", await ", "return await ", "yield await ", ": await "};
  return contains_any(code, kAsked) || code.starts_with("async with ");
}

// Whether the line stands in a loop over the elements of something, in its function, that awaits answers for each: not
// in turns that are counted ("for _ in range(n)"), nor spread over time, nor in a loop that only tells others.
bool in_loop_that_asks(const Lines& lines, std::int64_t number) {
  if (number <= 0 || static_cast<std::size_t>(number) > lines.size()) return false;
  std::size_t head = 0;
  heads_above(lines, static_cast<std::size_t>(number), [&](std::string_view code, std::size_t at) {
    if (code.starts_with("for ") && !code.starts_with("for _ in")) head = at;
    return head == 0 && !code.starts_with("def ") && !code.starts_with("async ") && !code.starts_with("while ");
  });
  if (head == 0) return false;
  bool any = false, sleeps = false;
  lines_below(lines, head, [&](std::string_view code, std::size_t) {
    any |= asks(code);
    sleeps |= contains(code, "sleep(") || contains(code, "gather(");
    return true;
  });
  return any && !sleeps;
}

// What a task does in such loops, in time, and how often it was seen to send elsewhere.
struct OfTask {
  std::int64_t in_loops_ns = 0, sends_else = 0;
  TimeByPlace lines;
};

// The place of the innermost own frame that stands in such a loop; line 0: none does.
Place loop_on(const Evidence& evidence, symbols::SourceFiles& files, std::uint32_t node) {
  const fold::CallTree& tree = evidence.lines();
  for (; node != 0; node = tree.nodes()[node].parent) {
    if (!evidence.own().function(tree.function_id(node))) continue;
    Place place = place_of(evidence.symbols(), tree.nodes()[node].location);
    if (place.file.ends_with(".py") && in_loop_that_asks(files.file(place.file).lines, place.line)) return place;
  }
  return {};
}

std::map<std::string, OfTask> tasks_in_loops(const Evidence& evidence, const ThreadOf& program,
                                             symbols::SourceFiles& files) {
  std::map<std::string, OfTask> out;
  for (const LineTime& time : line_times(evidence, program)) {
    const std::string task = name_of_task(evidence.lines(), time.node);
    if (task.empty()) continue;
    OfTask& its = out.try_emplace(task, OfTask{0, 0, TimeByPlace(evidence)}).first->second;
    const Place place = loop_on(evidence, files, time.node);
    const std::int64_t ns = model::saturated_sum(time.cpu_ns, time.waited_ns);
    if (place.line > 0) {
      its.in_loops_ns = model::saturated_sum(its.in_loops_ns, ns);
      its.lines.add(place, ns);
    } else if (time.waits == log::WaitClass::Network && is_one_of(evidence.lines().function(time.node).name, kSends)) {
      its.sends_else = model::saturated_sum(its.sends_else, time.calls);
    }
  }
  return out;
}

// The task that was seen most in such loops, of those that answer: as a server's source says, or as they send besides.
const std::pair<const std::string, OfTask>* answering(symbols::SourceFiles& files,
                                                      const std::map<std::string, OfTask>& tasks) {
  const std::pair<const std::string, OfTask>* most = nullptr;
  for (const auto& task : tasks) {
    if (task.second.in_loops_ns <= 0) continue;
    const bool answers = task.second.sends_else > 0 || is_given_to_server(files, task.second.lines.top(), task.first);
    if (answers && (most == nullptr || task.second.in_loops_ns > most->second.in_loops_ns)) most = &task;
  }
  return most;
}

std::int64_t polled_ns(const Evidence& evidence, const ThreadOf& program) {
  std::int64_t sum = 0;
  for (const LineTime& time : line_times(evidence, program)) {
    if (time.waits == log::WaitClass::Poll) sum = model::saturated_sum(sum, time.blocked_ns);
  }
  return sum;
}

const char* cannot(const Evidence& evidence) {
  return evidence.lines().waits_known() ? nullptr : "what threads waited for was not recorded";
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program || !accepts_connections(evidence, program->process) || !kAwaitsRule.look(evidence).empty()) return {};
  symbols::SourceFiles files(evidence.run());
  const std::map<std::string, OfTask> tasks = tasks_in_loops(evidence, *program, files);
  const auto* const most = answering(files, tasks);
  const Messages messages = messages_of(evidence, program->process);
  if (most == nullptr || messages.answers <= 0 || messages.questions < kManyAwaits) return {};
  const double each = real(messages.questions) / real(messages.answers);
  if (each < kAsksForEach) return {};
  // Where all that ask are in the loop as well, it waits for nothing else than these answers; a server that others ask
  // may have nothing to do.
  const bool all_here = answers_to_itself(evidence, program->process) > 0;
  const std::int64_t polled = polled_ns(evidence, *program);
  const auto waited = whole_number((1 - 1 / each) * real(polled));
  const double share = share_of_life(evidence, *program, waited);
  if (all_here && (share < kWaitingLine || waited < kLeastWaitNs)) return {};
  Finding finding;
  finding.rule = kAwaitsForEachRule.name;
  finding.title = "A task awaits its peers one after the other for each request";
  finding.seen = fmt::format("For {} the process asked others {} times, {:.3g} for each, by {} in a loop.",
                             show::counted(messages.answers, "answer", "answers"), show::grouped(messages.questions),
                             each, most->first);
  finding.advice =
      "Where no answer is needed for the next question, await them together: asyncio.gather() or a TaskGroup (with a "
      "Semaphore, if the peer must not be asked for too many), or ask for all in one request.";
  finding.places = most->second.lines.top();
  if (all_here) {
    finding.seen += fmt::format(" The loop had nothing to do for {} meanwhile.", show::duration(real(polled)));
    could_save_of_run(finding, evidence, share);
  }
  return {finding};
}

}  // namespace
}  // namespace awaits_for_each

const Rule kAwaitsForEachRule{"awaits-for-each", "tasks that await peers in a loop", awaits_for_each::cannot,
                              awaits_for_each::look};

}  // namespace prof::findings
