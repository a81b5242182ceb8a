// A task of a server asks its peers one after the other for each request that it answers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/findings/awaiting_lines.hpp"
#include "report/findings/event_loop.hpp"
#include "report/findings/peers.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/waiting/asked_at_once.hpp"
#include "report/findings/rules/waiting/waiting_kinds.hpp"
#include "report/findings/socket_calls.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/python/tasks.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace awaits_for_each {
namespace {

// What the loop waited for whatever comes next.
std::int64_t waits_of_loop(const Evidence& evidence, const ThreadOf& program) {
  const fold::CallTree& lines = evidence.lines();
  std::int64_t waits = 0;
  for (const StackTime& time : stack_times(evidence.run().processes[program.process], program.slot)) {
    std::uint32_t node = lines.node_of(program.process, time.node);
    if (!time.waits || node == fold::CallTree::kNoNode) continue;
    while (node != 0 && !fold::is_wait_of_loop(lines, node)) node = lines.nodes()[node].parent;
    if (node != 0) waits = model::saturated_sum(waits, time.blocked_ns);
  }
  return waits;
}

// Code that speaks to a peer: asyncio's own, and that of clients by their packages.
bool speaks(const symbols::Function& function) {
  constexpr std::string_view kFiles[] = {"/asyncio/streams.py",
                                         "/asyncio/selector_events.py",
                                         "/asyncio/sslproto.py",
                                         "/aiohttp/client",
                                         "/aiohttp/connector",
                                         "/httpx/",
                                         "/httpcore/",
                                         "/redis/",
                                         "/asyncpg/",
                                         "/aiomysql/",
                                         "/motor/",
                                         "/grpc/aio/",
                                         "/websockets/",
                                         "/aiokafka/",
                                         "/aiobotocore/",
                                         "/elastic_transport/"};
  if (function.language == symbols::Language::Python) return contains_any(function.file, kFiles);
  return is_one_of(function.name, kSends) || is_one_of(function.name, kReceives);
}

// What a task does in such loops, in time, and how often it was seen to send elsewhere.
struct OfTask {
  std::int64_t in_loops_ns = 0, sends_else = 0;
  TimeByPlace lines;
};

// Lines in such loops: sources are looked at once for each.
class AskingLoops {
 public:
  AskingLoops(const Evidence& evidence, symbols::SourceFiles& files) : evidence_(&evidence), files_(&files) {}

  // The place of the innermost own frame that stands in one, where what it led to speaks to a peer; line 0: none does.
  Place above(std::uint32_t node) {
    const fold::CallTree& tree = evidence_->lines();
    bool spoke = false;
    for (; node != 0; node = tree.nodes()[node].parent) {
      spoke |= speaks(tree.function(node));
      if (!spoke || !evidence_->own().function(tree.function_id(node))) continue;
      const std::uint32_t location = tree.nodes()[node].location;
      if (asks(location)) return place_of(evidence_->symbols(), location);
    }
    return {};
  }

 private:
  bool asks(std::uint32_t location) {
    const auto [known, is_new] = known_.try_emplace(location, false);
    if (!is_new) return known->second;
    const Place place = place_of(evidence_->symbols(), location);
    known->second = place.file.ends_with(".py") && awaits_in_turn(files_->file(place.file).lines, place.line);
    return known->second;
  }

  const Evidence* evidence_;
  symbols::SourceFiles* files_;
  std::map<std::uint32_t, bool> known_;  // by location
};

std::map<std::string, OfTask> tasks_in_loops(const Evidence& evidence, const ThreadOf& program,
                                             symbols::SourceFiles& files) {
  std::map<std::string, OfTask> out;
  AskingLoops loops(evidence, files);
  for (const LineTime& time : line_times(evidence, program)) {
    const std::string task = name_of_task(evidence.lines(), time.node);
    if (task.empty()) continue;
    OfTask& its = out.try_emplace(task, OfTask{0, 0, TimeByPlace(evidence)}).first->second;
    const Place place = loops.above(time.node);
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

const char* cannot(const Evidence& evidence) {
  return evidence.lines().waits_known() ? nullptr : "what threads waited for was not recorded";
}

std::vector<Finding> look_at(const Evidence& evidence, const ThreadOf& program) {
  if (!accepts_connections(evidence, program.process)) return {};
  symbols::SourceFiles& files = evidence.sources();
  const std::map<std::string, OfTask> tasks = tasks_in_loops(evidence, program, files);
  const auto* const most = answering(files, tasks);
  const Messages messages = messages_of(evidence, program.process);
  if (most == nullptr || messages.answers <= 0 || messages.questions < kManyAwaits) return {};
  const double each = real(messages.questions) / real(messages.answers);
  if (each < kAsksForEach) return {};
  Finding finding;
  finding.rule = kAwaitsForEachRule.name;
  finding.title = "A task awaits its peers one after the other for each request";
  finding.seen = fmt::format("For {} the process asked others {} times, {:.3g} for each, by {}.",
                             show::counted(messages.answers, "answer", "answers"), show::grouped(messages.questions),
                             each, most->first);
  finding.advice =
      "Where no answer is needed for the next question, await them together: asyncio.gather() or a TaskGroup (with a "
      "Semaphore, if the peer must not be asked for too many), or ask for all in one request.";
  finding.places = most->second.lines.top();
  could_save_at_once(finding, evidence, program, waits_of_loop(evidence, program), messages);
  return {finding};
}

// The program, else any other process of the run: a server that waits for others computes less than they do.
std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program || !kAwaitsRule.look(evidence).empty()) return {};
  if (std::vector<Finding> found = look_at(evidence, *program); !found.empty()) return found;
  const auto& processes = evidence.run().processes;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const model::Thread* const thread = i == program->process ? nullptr : program_thread(evidence, i);
    if (thread == nullptr || !evidence.selection().includes(processes[i])) continue;
    if (std::vector<Finding> found = look_at(evidence, {i, thread->slot}); !found.empty()) return found;
  }
  return {};
}

}  // namespace
}  // namespace awaits_for_each

const Rule kAwaitsForEachRule{"awaits-for-each", "tasks that await peers in a loop", awaits_for_each::cannot,
                              awaits_for_each::look};

}  // namespace prof::findings
