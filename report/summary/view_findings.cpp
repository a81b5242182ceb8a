#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "report/findings/rules/look.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"
#include "report/summary/findings_text.hpp"

namespace prof::show {
namespace {

using findings::Finding;

std::vector<Cell> found(const Finding& finding, bool of_steps) {
  std::vector<std::string> places;
  for (const findings::Place& place : finding.places) places.push_back(place_text(place, true));
  const bool any = !finding.places.empty();
  const findings::Place first = any ? finding.places.front() : findings::Place{};
  return {Cell(std::string("found")),
          Cell(finding.rule),
          Cell(finding.saves),
          Cell(finding.saves_ns),
          finding.error_ns > 0 ? Cell(finding.error_ns) : Cell(),
          finding.saves_bytes > 0 ? Cell(finding.saves_bytes) : Cell(),
          finding.error_bytes > 0 ? Cell(finding.error_bytes) : Cell(),
          Cell(std::string(finding.of_processors         ? "processors"
                           : of_steps && !finding.of_run ? "steps"
                                                         : "run")),
          Cell(finding.title),
          any ? Cell(first.file) : Cell(),
          any && first.line > 0 ? Cell(first.line) : Cell(),
          any ? Cell(first.function) : Cell(),
          Cell(fmt::format("{}", fmt::join(places, "; "))),
          Cell(finding.seen),
          Cell(finding.advice)};
}

}  // namespace

std::vector<Sheet> findings_view(const Subject& subject, const ViewOptions& options) {
  const findings::Evidence evidence(subject.run, subject.symbols, subject.selection, &mixed_line_tree(subject));
  const findings::Outcome outcome = findings::look_for_all(evidence);
  Sheet sheet;
  sheet.title = "Findings";
  sheet.columns = {{"state", "state", Kind::Text},
                   {"rule", "rule", Kind::Text},
                   {"saves_share", "saves", Kind::Share, "at most"},
                   {"saves_ns", "time", Kind::Time, "", Where::DataOnly},
                   {"saves_error_ns", "give or take", Kind::Time, "", Where::DataOnly},
                   {"saves_bytes", "memory", Kind::Bytes, "", Where::DataOnly},
                   {"saves_error_bytes", "give or take", Kind::Bytes, "", Where::DataOnly},
                   {"saves_of", "of", Kind::Text, "", Where::DataOnly},
                   {"title", "finding", Kind::Text},
                   {"file", "file", Kind::Text, "", Where::DataOnly},
                   {"line", "line", Kind::Plain, "", Where::DataOnly},
                   {"function", "function", Kind::Text, "", Where::DataOnly},
                   {"places", "places", Kind::Text, "", Where::DataOnly},
                   {"seen", "seen", Kind::Text, "", Where::DataOnly},
                   {"advice", "advice", Kind::Text, "", Where::DataOnly}};
  const std::size_t shown = options.rows_of(outcome.findings.size(), outcome.findings.size());
  for (std::size_t i = 0; i < shown; ++i) sheet.add(found(outcome.findings[i], evidence.of_steps()));
  const auto without = [&](const char* state, const findings::Rule& rule, const char* why) {
    std::vector<Cell> cells(sheet.columns.size());
    const auto put = [&](std::string_view key, const char* text) {
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (sheet.columns[i].key == key) cells[i] = std::string(text);
      }
    };
    put("state", state);
    put("rule", rule.name);
    put("title", rule.what);
    put("seen", why);
    sheet.add(std::move(cells), Emphasis::Faint);
  };
  for (const findings::Rule* rule : outcome.clear) without("not found", *rule, "");
  for (const auto& [rule, why] : outcome.unknown) without("not known", *rule, why);
  return {sheet};
}

extern const View kFindingsView{.name = "findings",
                                .help = "what to change, on which line, and what it can save",
                                .topic = Topic::Run,
                                .sheets = findings_view,
                                .text = findings_text};

}  // namespace prof::show
