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

// Whether the line stands in a loop over the elements of something, in its function, that awaits what it does for each:
// not in turns of its own that are counted ("for _ in range(n)"), nor spread over time.
bool in_loop_that_awaits(const Lines& lines, std::int64_t number) {
  if (number <= 0 || static_cast<std::size_t>(number) > lines.size()) return false;
  std::size_t head = 0;
  heads_above(lines, static_cast<std::size_t>(number), [&](std::string_view code, std::size_t at) {
    if (code.starts_with("for ") && !code.starts_with("for _ in")) head = at;
    return head == 0 && !code.starts_with("def ") && !code.starts_with("async ") && !code.starts_with("while ");
  });
  if (head == 0) return false;
  bool awaits = false, sleeps = false;
  lines_below(lines, head, [&](std::string_view code, std::size_t) {
    awaits |= find_word(code, "await") != std::string_view::npos || code.starts_with("async with ");
    sleeps |= contains(code, "sleep(") || contains(code, "gather(") || contains(code, ".acquire(");
    return true;
  });
  return awaits && !sleeps;
}

struct OfTask {
  std::int64_t in_loops = 0, else_where = 0;  // sends
  TimeByPlace lines;                          // by the former
};

// The place of the innermost own frame that stands in such a loop; line 0: none does.
Place loop_on(const Evidence& evidence, symbols::SourceFiles& files, std::uint32_t node) {
  const fold::CallTree& tree = evidence.lines();
  for (; node != 0; node = tree.nodes()[node].parent) {
    if (!evidence.own().function(tree.function_id(node))) continue;
    Place place = place_of(evidence.symbols(), tree.nodes()[node].location);
    if (place.file.ends_with(".py") && in_loop_that_awaits(files.file(place.file).lines, place.line)) return place;
  }
  return {};
}

struct Asked {
  std::map<std::string, OfTask> tasks;
  std::int64_t sends = 0, receives = 0, polled_ns = 0;
};

Asked asked_by(const Evidence& evidence, const ThreadOf& program) {
  Asked out;
  symbols::SourceFiles files(evidence.run());
  for (const LineTime& time : line_times(evidence, program)) {
    if (time.waits == log::WaitClass::Poll) out.polled_ns = model::saturated_sum(out.polled_ns, time.blocked_ns);
    if (time.waits != log::WaitClass::Network) continue;
    const std::string& name = evidence.lines().function(time.node).name;
    if (is_one_of(name, kReceives)) out.receives = model::saturated_sum(out.receives, time.calls);
    if (!is_one_of(name, kSends)) continue;
    out.sends = model::saturated_sum(out.sends, time.calls);
    const std::string task = name_of_task(evidence.lines(), time.node);
    if (task.empty()) continue;
    OfTask& its = out.tasks.try_emplace(task, OfTask{0, 0, TimeByPlace(evidence)}).first->second;
    const Place place = loop_on(evidence, files, time.node);
    std::int64_t& sum = place.line > 0 ? its.in_loops : its.else_where;
    sum = model::saturated_sum(sum, time.calls);
    if (place.line > 0) its.lines.add(place, time.calls);
  }
  return out;
}

const char* cannot(const Evidence& evidence) {
  return evidence.lines().waits_known() ? nullptr : "what threads waited for was not recorded";
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program || !accepts_connections(evidence, program->process) || !runs_other_tasks(evidence, *program)) return {};
  const Asked asked = asked_by(evidence, *program);
  // Who is only told something answers nothing.
  if (real(asked.receives) < kAnswersToSends * real(asked.sends)) return {};
  const auto most = std::max_element(asked.tasks.begin(), asked.tasks.end(), [](const auto& a, const auto& b) {
    return a.second.in_loops < b.second.in_loops;
  });
  if (most == asked.tasks.end() || most->second.in_loops < kManyAwaits || most->second.else_where <= 0) return {};
  // Where all that ask are in the loop as well, it waits for nothing else than these answers; a server that others ask
  // may have nothing to do. Those that are asked in the loop may answer in tasks of the same name.
  const bool all_here = answers_to_itself(evidence, program->process) > 0;
  std::int64_t answers = most->second.else_where;
  if (all_here && answers > most->second.in_loops) answers -= most->second.in_loops;
  const double each = real(most->second.in_loops) / real(answers);
  if (each < kAsksForEach) return {};
  const auto waited = whole_number((1 - 1 / each) * real(asked.polled_ns));
  const double share = share_of_life(evidence, *program, waited);
  if (all_here && (share < kWaitingLine || waited < kLeastWaitNs)) return {};
  Finding finding;
  finding.rule = kAwaitsForEachRule.name;
  finding.title = "A task awaits its peers one after the other for each request";
  finding.seen = fmt::format("{} asked about {} times in a loop, and sent about {} times else: {:.3g} for each.",
                             most->first, show::grouped(most->second.in_loops), show::grouped(answers), each);
  finding.advice =
      "Where no answer is needed for the next question, await them together: asyncio.gather() or a TaskGroup (with a "
      "Semaphore, if the peer must not be asked for too many), or ask for all in one request.";
  finding.places = most->second.lines.top();
  if (all_here) {
    finding.seen += fmt::format(" The loop had nothing to do for {} meanwhile.", show::duration(real(asked.polled_ns)));
    could_save_of_run(finding, evidence, share);
  }
  return {finding};
}

}  // namespace
}  // namespace awaits_for_each

const Rule kAwaitsForEachRule{"awaits-for-each", "tasks that await peers in a loop", awaits_for_each::cannot,
                              awaits_for_each::look};

}  // namespace prof::findings
