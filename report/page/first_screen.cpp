#include "report/page/first_screen.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "report/findings/rules/look.hpp"
#include "report/fold/own/own_lines.hpp"
#include "report/fold/waiting/accounting.hpp"
#include "report/page/bundle.hpp"
#include "report/page/sheets.hpp"
#include "report/show/commands.hpp"
#include "report/show/own/own_text.hpp"
#include "report/show/processes.hpp"
#include "report/show/waiting/wall_text.hpp"
#include "report/summary/facts.hpp"
#include "report/summary/findings_text.hpp"
#include "report/summary/remarks.hpp"
#include "report/summary/top_tables.hpp"
#include "report/summary/views.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::page {
namespace {

constexpr std::size_t kOwnRows = 12, kMemoryRows = 6, kBars = 64, kSpans = 1000;

Json facts_json(const std::vector<show::Fact>& facts) {
  Json out = Json::array();
  for (const show::Fact& fact : facts) {
    out.push_back(
        {{"label", fact.label}, {"text", shown_text(fact.text)}, {"warning", fact.style == show::Style::Warning}});
  }
  return out;
}

Json place_json(const findings::Place& place) {
  return {{"text", shown_text(show::place_text(place, false))},
          {"file", shown_text(place.file)},
          {"line", place.line},
          {"function", shown_text(place.function)}};
}

// The times of a finding, of which a page needs no more than can be drawn.
Json when_json(const model::Run& run, const findings::Finding& finding) {
  Json out = Json::array();
  for (const findings::Span& span : finding.when) {
    if (out.size() == kSpans) break;
    const model::Process& process = run.processes[span.process];
    out.push_back({show::since_start(run, process, span.begin_monotonic_ns),
                   show::since_start(run, process, span.end_monotonic_ns)});
  }
  return out;
}

Json finding_json(const model::Run& run, const findings::Finding& finding, bool of_steps, symbols::SourceFiles& files) {
  Json places = Json::array();
  for (const findings::Place& place : finding.places) {
    Json one = place_json(place), callers = Json::array();
    one["source"] =
        place.line > 0 ? shown_text(files.line(place.file, static_cast<std::uint32_t>(place.line))) : std::string();
    for (const findings::Place& caller : place.callers) callers.push_back(place_json(caller));
    one["callers"] = std::move(callers);
    places.push_back(std::move(one));
  }
  return {{"rule", finding.rule},
          {"title", shown_text(finding.title)},
          {"saves", show::savings_text(finding, of_steps)},
          {"bound", finding.saves_more ? " and more" : " at most"},
          {"saves_ns", finding.saves_ns},
          {"saves_bytes", finding.saves_bytes},
          {"places", std::move(places)},
          {"when", when_json(run, finding)},
          {"seen", shown_text(finding.seen)},
          {"advice", shown_text(finding.advice)}};
}

Json findings_json(const show::Subject& subject, const show::ViewOptions& options, const fold::CallTree& lines,
                   const fold::OwnLines& own, symbols::SourceFiles& files) {
  const findings::Evidence evidence(subject.run, subject.symbols, subject.selection, &lines);
  const findings::Outcome outcome = findings::look_for_all(evidence);
  Json found = Json::array(), clear = Json::array(), unknown = Json::array();
  for (const findings::Finding& one : outcome.findings)
    found.push_back(finding_json(subject.run, one, evidence.of_steps(), files));
  for (const findings::Rule* rule : outcome.clear) clear.push_back(rule->what);
  for (const auto& [rule, why] : outcome.unknown) unknown.push_back({{"what", rule->what}, {"why", why}});
  Json sentences = Json::array();
  for (const std::string& one : show::beside_findings(outcome, show::remarks(subject, options, lines, own)))
    sentences.push_back(shown_text(one));
  return {{"found", std::move(found)},
          {"sentences", std::move(sentences)},
          {"clear", std::move(clear)},
          {"unknown", std::move(unknown)}};
}

// The parts of wall time, in the order of `parts` of the bars.
Json part_names() {
  Json out = {"CPU"};
  for (const char* name : log::kWaitClassNames) out.push_back(name);
  out.push_back("waiting for CPU");
  out.push_back("unaccounted");
  out.push_back("idle (waiting for work, or for its own threads or children)");
  return out;
}

Json bars_json(const show::Subject& subject, const fold::CallTree& lines) {
  std::vector<fold::ThreadWall> walls = fold::thread_walls(subject.run, subject.selection);
  // What computes comes before what waits for work all its life.
  std::stable_sort(walls.begin(), walls.end(), [](const fold::ThreadWall& a, const fold::ThreadWall& b) {
    return std::pair(a.split.cpu_ns, a.split.wall_ns) > std::pair(b.split.cpu_ns, b.split.wall_ns);
  });
  std::unordered_map<std::size_t, std::unordered_map<std::uint32_t, show::IdleTimes>> idle_of;  // by process and slot
  Json rows = Json::array();
  for (std::size_t i = 0; i < std::min(walls.size(), kBars); ++i) {
    const fold::ThreadWall& wall = walls[i];
    const auto [known, is_new] = idle_of.try_emplace(wall.process);
    if (is_new) known->second = show::idle_times(subject.run, lines, wall.process);
    const show::IdleTimes& idle_ns = known->second[wall.thread->slot];
    const model::Process& process = subject.run.processes[wall.process];
    Json parts = {wall.split.cpu_ns};
    std::int64_t idle = 0;
    for (std::size_t what = 0; what < idle_ns.size(); ++what) {
      const std::int64_t ns = wall.split.blocked_ns[what], for_work = std::min(ns, idle_ns[what]);
      idle = model::saturated_sum(idle, for_work);
      parts.push_back(ns - for_work);
    }
    parts.push_back(wall.split.run_queue_ns);
    parts.push_back(wall.split.residual_ns);
    parts.push_back(idle);
    rows.push_back({{"process", shown_text(show::command_label(process, false))},
                    {"pid", process.pid},
                    {"tid", wall.thread->tid},
                    {"name", wall.thread->main ? "main" : shown_text(wall.thread->display_name())},
                    {"wall_ns", wall.split.wall_ns},
                    {"parts", std::move(parts)}});
  }
  return {{"names", part_names()}, {"rows", std::move(rows)}, {"all", walls.size()}};
}

Json sheet_or_null(const show::Sheet& sheet) { return sheet.rows.empty() ? Json() : sheet_json(sheet); }

Json next_json(const show::Subject& subject) {
  Json out = Json::array();
  for (const std::string& command : show::next_views(subject)) out.push_back(shown_text(command));
  return out;
}

}  // namespace

Json first_screen_json(const show::Subject& subject, const show::ViewOptions& options, const fold::CallTree& lines) {
  const fold::OwnLines own = fold::own_lines(lines);
  symbols::SourceFiles files(subject.run, options.source_allowed);
  const show::Sheet time = show::own_table(subject, options, own, show::OwnOrder::Time, kOwnRows);
  const bool memory = own.any_own() && lines.live_known();
  return {
      {"command", shown_text(show::command_line(subject))},
      {"facts", facts_json(show::fact_list(subject, options, lines))},
      {"reservations", facts_json(show::reservation_list(subject, lines))},
      {"findings", findings_json(subject, options, lines, own, files)},
      {"kernels", sheet_or_null(show::top_kernels(subject, options))},
      {"own", sheet_or_null(time)},
      {"own_memory",
       memory ? sheet_or_null(show::own_table(subject, options, own, show::OwnOrder::Memory, kMemoryRows)) : Json()},
      {"functions", time.rows.empty() ? sheet_or_null(show::top_functions(subject, options)) : Json()},
      {"commands", time.rows.empty() ? sheet_or_null(show::top_commands(subject)) : Json()},
      {"bars", bars_json(subject, lines)},
      {"next", next_json(subject)}};
}

}  // namespace prof::page
