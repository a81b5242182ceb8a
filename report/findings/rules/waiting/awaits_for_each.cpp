// A task of a server asks its peers one after the other, in a loop, for each request that it answers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// The names that a loop gives its elements: "for name, part in parts.items():" or "[await ask(part) for part in
// parts]".
std::vector<std::string_view> elements_of(std::string_view code) {
  const std::size_t head = find_word(code, "for"), in = head == std::string_view::npos ? head : code.find(" in ", head);
  std::vector<std::string_view> out;
  for (std::size_t at = head + 3; in != std::string_view::npos && at < in;) {
    std::size_t end = at;
    while (end < in && is_name(code[end])) ++end;
    if (end > at) out.push_back(code.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// What is awaited for its answer in the line: the text behind that; empty: nothing.
std::string_view asked_in(std::string_view code) {
  for (const std::string_view word : {"= await ", "(await ", "[await ", "async with "}) {
    if (const std::size_t at = code.find(word); at != std::string_view::npos) return code.substr(at + word.size());
  }
  return {};
}

// What is sent to a peer, by hand: the answer is read by another line.
std::string_view sent_in(std::string_view code) {
  for (const std::string_view word : {".write(", ".send("}) {
    if (const std::size_t at = code.find(word); at != std::string_view::npos) return code.substr(at + word.size());
  }
  return {};
}

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

bool has_word(std::string_view text, const std::vector<std::string_view>& words) {
  return std::any_of(words.begin(), words.end(),
                     [text](std::string_view word) { return find_word(text, word) != std::string_view::npos; });
}

// Names that the line gives to what it awaits: "reply" of "reply = await ask(part)".
std::vector<std::string_view> answers_in(std::string_view code) {
  const std::size_t await = code.find("= await ");
  if (await == std::string_view::npos) return {};
  std::vector<std::string_view> out;
  for (const std::string_view target : listed(code.substr(0, await))) {
    if (std::all_of(target.begin(), target.end(), is_name)) out.push_back(target);
  }
  return out;
}

// Whether what stands below such a head asks for each element, and no question needs an answer before it. Loops that
// stop at an answer, take their time, or have started all before they await are none.
bool asks_for_each(const Lines& lines, std::size_t head, std::string_view loop) {
  constexpr std::string_view kElse[] = {"sleep(", "gather(", "break", "return", "raise"};
  const std::vector<std::string_view> elements = elements_of(loop);
  if (elements.empty() || contains_any(loop, std::array{"as_completed(", "for _ in"})) return false;
  std::vector<std::string_view> answers;
  bool asks = false, sends = false, reads = false, other = false;
  lines_below(lines, head, [&](std::string_view code, std::size_t) {
    const std::string_view asked = asked_in(code);
    asks |= has_word(asked, elements);
    sends |= has_word(sent_in(code), elements);
    reads |= !asked.empty();
    other |= contains_any(code, kElse);
    for (const std::string_view name : answers_in(code)) answers.push_back(name);
    return true;
  });
  lines_below(lines, head, [&](std::string_view code, std::size_t) {
    other |= has_word(asked_in(code), answers) || has_word(sent_in(code), answers);
    return true;
  });
  return (asks || (sends && reads)) && !other;
}

// Whether the line stands in a loop over the elements of something, in its function, that awaits a peer for each.
bool in_loop_that_asks(const Lines& lines, std::int64_t number) {
  constexpr std::string_view kStarts[] = {"create_task(", "ensure_future(", "as_completed("};
  if (number <= 0 || static_cast<std::size_t>(number) > lines.size()) return false;
  const std::string_view line = trimmed(code_of(lines[static_cast<std::size_t>(number) - 1], "#"));
  std::size_t head = 0, function = 0;
  bool innermost = true;
  std::string_view loop;
  heads_above(lines, static_cast<std::size_t>(number), [&](std::string_view code, std::size_t at) {
    if (innermost && code.starts_with("for ")) {
      head = at;
      loop = code;
    }
    innermost &= head == 0 && !code.starts_with("while ");
    if (code.starts_with("def ") || code.starts_with("async def ")) function = at;
    return function == 0;
  });
  bool starts = false;
  lines_below(lines, function, [&](std::string_view code, std::size_t) {
    starts |= contains_any(code, kStarts);
    return true;
  });
  if (function == 0 || starts) return false;
  const std::vector<std::string_view> elements = elements_of(line);
  if (contains(line, "[await ") && !elements.empty()) return has_word(asked_in(line), elements);
  return head != 0 && asks_for_each(lines, head, loop);
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
    known->second = place.file.ends_with(".py") && in_loop_that_asks(files_->file(place.file).lines, place.line);
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

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program || !accepts_connections(evidence, program->process) || !kAwaitsRule.look(evidence).empty()) return {};
  symbols::SourceFiles& files = evidence.sources();
  const std::map<std::string, OfTask> tasks = tasks_in_loops(evidence, *program, files);
  const auto* const most = answering(files, tasks);
  const Messages messages = messages_of(evidence, program->process);
  if (most == nullptr || messages.answers <= 0 || messages.questions < kManyAwaits) return {};
  const double each = real(messages.questions) / real(messages.answers);
  if (each < kAsksForEach) return {};
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
  could_save_at_once(finding, evidence, *program, waits_of_loop(evidence, *program), messages);
  return {finding};
}

}  // namespace
}  // namespace awaits_for_each

const Rule kAwaitsForEachRule{"awaits-for-each", "tasks that await peers in a loop", awaits_for_each::cannot,
                              awaits_for_each::look};

}  // namespace prof::findings
