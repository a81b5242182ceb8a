#include "report/formats/json_findings.hpp"

#include <algorithm>
#include <optional>

#include "report/findings/rules/look.hpp"
#include "report/show/processes.hpp"
#include "report/show/trees.hpp"

namespace prof::formats {
namespace {

Json place_object(const findings::Place& place) {
  return {{"file", text_or_null(place.file)},
          {"line", place.line > 0 ? Json(place.line) : Json()},
          {"function", text_or_null(place.function)}};
}

Json when_list(const model::Run& run, const findings::Finding& finding) {
  Json out = Json::array();
  for (const findings::Span& span : finding.when) {
    const model::Process& process = run.processes[span.process];
    out.push_back({{"process", span.process},
                   {"begin_s", seconds(show::since_start(run, process, span.begin_monotonic_ns))},
                   {"end_s", seconds(show::since_start(run, process, span.end_monotonic_ns))}});
  }
  return out;
}

// A saving that was measured over the whole run may be more than the steps took, most of it outside of them.
double saves_of_basis(const findings::Finding& finding, std::int64_t basis_ns) {
  if (!finding.of_run || basis_ns <= 0) return finding.saves;
  return std::min(1.0, static_cast<double>(finding.saves_ns) / static_cast<double>(basis_ns));
}

}  // namespace

Json findings_json(const show::Subject& subject) {
  const fold::CallTree& tree = show::mixed_line_tree(subject);
  const findings::Evidence evidence(subject.run, subject.symbols, subject.selection, &tree);
  const findings::Outcome outcome = findings::look_for_all(evidence);
  Json found = Json::array(), clear = Json::array(), unknown = Json::array();
  for (const findings::Finding& finding : outcome.findings) {
    Json places = Json::array();
    for (const findings::Place& place : finding.places) {
      Json callers = Json::array();
      for (const findings::Place& caller : place.callers) callers.push_back(place_object(caller));
      places.push_back(place_object(place));
      places.back()["callers"] = std::move(callers);
    }
    found.push_back({{"rule", finding.rule},
                     {"title", text(finding.title)},
                     {"seen", text(finding.seen)},
                     {"advice", text(finding.advice)},
                     {"places", std::move(places)},
                     {"general", finding.general},
                     {"saves", saves_of_basis(finding, evidence.basis_ns())},
                     {"saves_of", finding.of_processors                    ? "processors"
                                  : evidence.of_steps() && !finding.of_run ? "steps"
                                                                           : "run"},
                     {"saves_more", finding.saves_more},
                     {"of_processors", finding.of_processors},
                     {"saves_s", seconds(finding.saves_ns)},
                     {"saves_error_s", finding.error_ns > 0 ? Json(seconds(finding.error_ns)) : Json()},
                     {"saves_bytes", finding.saves_bytes > 0 ? Json(finding.saves_bytes) : Json()},
                     {"saves_error_bytes", finding.error_bytes > 0 ? Json(finding.error_bytes) : Json()},
                     {"when", when_list(subject.run, finding)}});
  }
  for (const findings::Rule* rule : outcome.clear) clear.push_back(rule->name);
  for (const auto& [rule, why] : outcome.unknown) unknown.push_back({{"rule", rule->name}, {"why", why}});
  return {{"basis", evidence.of_steps() ? "steps" : "run"},
          {"basis_s", seconds(evidence.basis_ns())},
          {"found", std::move(found)},
          {"not_found", std::move(clear)},
          {"not_known", std::move(unknown)}};
}

}  // namespace prof::formats
