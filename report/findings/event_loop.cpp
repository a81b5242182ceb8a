#include "report/findings/event_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/peers.hpp"
#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/socket_calls.hpp"
#include "report/findings/source_blocks.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/python/tasks.hpp"
#include "report/fold/waiting/holds.hpp"
#include "report/model/text.hpp"

namespace prof::findings {
namespace {

// The functions of the user's own inside of the innermost frame for which `is` holds, on the way to the node, innermost
// first; nothing: there is no such frame.
template <typename Is>
std::vector<std::uint32_t> own_in(const Evidence& evidence, std::uint32_t node, Is is) {
  const fold::CallTree& lines = evidence.lines();
  std::vector<std::uint32_t> own;
  for (; node != 0; node = lines.nodes()[node].parent) {
    if (is(lines, node)) return own;
    if (evidence.own().function(lines.function_id(node))) own.push_back(lines.function_id(node));
  }
  return {};
}

bool is_callback(const fold::CallTree& lines, std::uint32_t node) { return runs_callbacks(lines.function(node)); }

bool is_hub_file(std::string_view file) {
  return file.ends_with("/gevent/hub.py") || file.find("/eventlet/hubs/") != std::string_view::npos;
}

// Whether the function is given to start_server() there, or in the lines of its call.
bool serves(const Lines& lines, std::string_view function) {
  constexpr std::size_t kLinesOfCall = 4;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (code_of(lines[i], "#").find("start_server(") == std::string_view::npos) continue;
    for (std::size_t at = i; at < std::min(lines.size(), i + kLinesOfCall); ++at) {
      const std::string_view code = code_of(lines[at], "#");
      if (find_word(code, function) != std::string_view::npos) return true;
      if (code.ends_with(')')) break;
    }
  }
  return false;
}

}  // namespace

std::int64_t gathered_at_once(const Evidence& evidence, const ThreadOf& program) {
  const std::optional<model::PythonInfo>& python = evidence.run().processes[program.process].python;
  return python ? python->gathered : 0;
}

bool gathers(const Evidence& evidence, symbols::SourceFiles& files, std::uint32_t node) {
  const fold::CallTree& lines = evidence.lines();
  for (; node != 0; node = lines.nodes()[node].parent) {
    if (!evidence.own().function(lines.function_id(node))) continue;
    const Place place = place_of(evidence.symbols(), lines.nodes()[node].location);
    // A call may stand in several lines, of which the first or the last is the one that is known.
    for (std::int64_t line = std::max<std::int64_t>(1, place.line - 2); line <= place.line; ++line) {
      if (files.line(place.file, static_cast<std::uint32_t>(line)).find("gather(") != std::string::npos) return true;
    }
  }
  return false;
}

bool runs_callbacks(const symbols::Function& function) {
  return function.language == symbols::Language::Python &&
         (function.file.ends_with("/asyncio/events.py") || function.file.ends_with("/asyncio/base_events.py")) &&
         (function.name.ends_with("_run") || function.name.ends_with("_run_once"));
}

bool is_of_hub(const symbols::Function& function) {
  return function.language == symbols::Language::Python && is_hub_file(function.file);
}

bool has_hub(const model::Process& process) {
  return std::any_of(process.codes.begin(), process.codes.end(),
                     [](const model::Code& code) { return is_hub_file(code.file); });
}

bool runs_other_tasks(const Evidence& evidence, const ThreadOf& program) {
  std::set<std::uint32_t> awaited;
  struct Runs {
    std::int64_t ns = 0, sends = 0;
  };
  std::map<std::uint32_t, Runs> runs;  // by outermost function
  for (const LineTime& time : line_times(evidence, program)) {
    if (const auto own = own_in(evidence, time.node, fold::is_wait_of_loop); !own.empty()) {
      awaited.insert(own.begin(), own.end());
    } else if (const auto in_callback = own_in(evidence, time.node, is_callback); !in_callback.empty()) {
      Runs& its = runs[in_callback.back()];
      its.ns = model::saturated_sum(its.ns, model::saturated_sum(time.cpu_ns, time.waited_ns));
      if (time.waits == log::WaitClass::Network && is_one_of(evidence.lines().function(time.node).name, kSends))
        its.sends = model::saturated_sum(its.sends, time.calls);
    }
  }
  std::int64_t sends = 0;
  for (const auto& [function, its] : runs) {
    if (!awaited.contains(function)) sends = model::saturated_sum(sends, its.sends);
  }
  // Tasks that send no more than there are answers to the program itself are the peers that it awaits.
  const bool answer = real(sends) <= kOnlyAnswers * real(answers_to_itself(evidence, program.process));
  std::int64_t others = 0, all = 0;
  for (const auto& [function, its] : runs) {
    if (answer && its.sends > 0 && !awaited.contains(function)) continue;
    all = model::saturated_sum(all, its.ns);
    if (!awaited.contains(function)) others = model::saturated_sum(others, its.ns);
  }
  return others > all / 2;
}

std::string name_of_task(const fold::CallTree& lines, std::uint32_t node) {
  const symbols::Function* task = fold::task_of(lines, node);
  return task != nullptr ? task->name : std::string();
}

std::set<std::string> tasks_of(const Evidence& evidence, const ThreadOf& program) {
  std::set<std::string> tasks;
  for (const LineTime& time : line_times(evidence, program)) {
    if (std::string task = name_of_task(evidence.lines(), time.node); !task.empty()) tasks.insert(std::move(task));
  }
  return tasks;
}

bool is_given_to_server(symbols::SourceFiles& files, const std::vector<Place>& places, std::string_view task) {
  const std::string_view function = task.substr(task.rfind('.') + 1);
  const auto of_server = [&](const Place& place) { return serves(files.file(place.file).lines, function); };
  return !function.empty() && std::any_of(places.begin(), places.end(), [&](const Place& place) {
    return of_server(place) || std::any_of(place.callers.begin(), place.callers.end(), of_server);
  });
}

std::int64_t connections_served(const Evidence& evidence, const ThreadOf& program, symbols::SourceFiles& files,
                                const std::vector<Place>& places, std::string_view task) {
  const bool served = is_given_to_server(files, places, task);
  return served ? taken_connections(evidence.run().processes[program.process]) : 0;
}

bool others_wait(const Evidence& evidence, const ThreadOf& program) {
  constexpr std::int64_t kSeveral = 3;
  model::HoldMetric turns;
  for (const fold::Hold& hold : fold::holds(evidence.lines())) turns += hold.turns;
  if (turns.count < kSeveral || turns.events > 0) return true;
  return tasks_of(evidence, program).size() > 1;
}

double waits_in_a_turn(const Evidence& evidence, const std::set<std::uint32_t>& lines, std::int64_t long_calls) {
  std::int64_t turns = 0;
  for (const fold::Hold& hold : fold::holds(evidence.lines())) {
    if (lines.contains(hold.location)) turns = model::saturated_sum(turns, hold.turns.count);
  }
  return turns > 0 ? real(long_calls) / real(turns) : 0;
}

void tell_of_lock(Finding& finding, symbols::SourceFiles& files) {
  if (finding.places.empty()) return;
  const Place first = finding.places.front();
  std::vector<Place> around{first};
  around.insert(around.end(), first.callers.begin(), first.callers.end());
  for (Place& place : around) {
    if (place.line <= 0) continue;
    const std::size_t lock = lock_around(files.file(place.file).lines, static_cast<std::size_t>(place.line));
    if (lock == 0) continue;
    place.line = static_cast<std::int64_t>(lock);
    place.callers.clear();
    finding.seen +=
        fmt::format(" It is awaited inside of the lock of line {}: whoever wants that waits as long.", lock);
    std::erase(finding.places, place);
    finding.places.insert(finding.places.begin() + 1, std::move(place));
    if (finding.places.size() > 3) finding.places.pop_back();
    return;
  }
}

}  // namespace prof::findings
