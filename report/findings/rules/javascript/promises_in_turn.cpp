// A script of JavaScript that awaits the answer for each element of a loop before it asks for the next one.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "report/findings/javascript.hpp"
#include "report/findings/javascript_loops.hpp"
#include "report/findings/peers.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/waiting/asked_at_once.hpp"
#include "report/findings/thresholds.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace promises_in_turn {
namespace {

// Of more nobody knows which are meant.
constexpr std::size_t kMostPlaces = 3;

const char* cannot(const Evidence& evidence) {
  if (!any_javascript(evidence)) return "no JavaScript was seen";
  return evidence.lines().waits_known() ? nullptr : "what threads waited for was not recorded";
}

// What Node's loop waited for whatever comes next.
std::int64_t waits_of_loop(const Evidence& evidence, const ThreadOf& program) {
  std::int64_t waits = 0;
  for (const StackTime& time : stack_times(evidence.run().processes[program.process], program.slot))
    if (time.waits == log::WaitClass::Poll) waits = model::saturated_sum(waits, time.blocked_ns);
  return waits;
}

std::vector<Place> places_of(const Evidence& evidence, const model::Process& process) {
  std::vector<Place> out;
  for (const std::string& script : own_scripts(evidence, process)) {
    const symbols::SourceFile& file = evidence.sources().file(script);
    for (const std::size_t line : lines_that_await(file.lines))
      out.push_back({file.path.string(), static_cast<std::int64_t>(line), {}, {}});
  }
  return out;
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return {};
  const model::Process& process = evidence.run().processes[program->process];
  if (!runs_javascript(process)) return {};
  const Asked asked = asked_of(evidence, program->process);
  if (asked.answers < kManyAwaits) return {};
  const Messages messages = messages_of(evidence, program->process);
  const bool serves = messages.answers > 0 && messages.answered > 0;
  if (serves ? real(messages.questions) < kAsksForEach * real(messages.answers) : asked.at_once() > kAskedInTurn)
    return {};
  Finding finding;
  finding.rule = kPromisesInTurnRule.name;
  finding.title = "Each answer is awaited before the next question is asked";
  finding.places = places_of(evidence, process);
  if (finding.places.empty() || finding.places.size() > kMostPlaces) return {};
  const std::int64_t waits = waits_of_loop(evidence, *program);
  if (serves)
    could_save_at_once(finding, evidence, *program, waits, messages);
  else
    could_save_at_once(finding, evidence, *program, waits, asked);
  if (finding.saves < kWaitingLine || finding.saves_ns < kLeastWaitNs) return {};
  finding.seen = fmt::format("{} came, one in {} on average, {:.1f} of a peer at a time; a loop awaits each of them.",
                             show::counted(asked.answers, "answer", "answers"),
                             show::duration(real(asked.answer_ns) / real(asked.answers)), asked.at_once());
  finding.advice =
      "Where no answer is needed for the next question, ask for some at once: await Promise.all(part.map(ask)) of "
      "parts "
      "that the peer can bear (or p-limit), or ask for all in one request.";
  return {finding};
}

}  // namespace
}  // namespace promises_in_turn

const Rule kPromisesInTurnRule{"promises-in-turn", "loops of JavaScript that await each answer",
                               promises_in_turn::cannot, promises_in_turn::look};

}  // namespace prof::findings
