// What is made of findings: their order, the summary, the view, CSV and JSON.
#include <set>

#include "report/formats/csv.hpp"
#include "report/formats/json.hpp"
#include "report/formats/json_value.hpp"
#include "report/summary/findings_text.hpp"
#include "report/summary/summary.hpp"
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::kUs;

namespace {

constexpr std::uint64_t kMi = 1 << 20;

// Two faults of the device, the smaller one on the first line.
void two_faults(FindingsRun& run) {
  run.steps(10, 100);
  run.device(1'000, 900);
  const auto call = run.api(run.train(33), "cudaMemcpyAsync", 10, kMs, 160 * kMi);
  run.copy(call, "HtoD", "pageable", 10, 100 * kMs, 160 * kMi);
  run.api(run.train(44), "cudaMemcpyAsync", 5'000, 200 * kMs, 5'000);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("findings: rules have names of their own", "[findings]") {
  std::set<std::string> names;
  for (const findings::Rule& rule : findings::rules()) {
    CHECK(names.insert(rule.name).second);
    CHECK_FALSE(std::string(rule.what).empty());
  }
  CHECK(names.size() >= 10);
}

TEST_CASE("findings: those that save most come first", "[findings]") {
  FindingsRun run;
  two_faults(run);
  const auto outcome = run.look();
  REQUIRE(outcome.findings.size() >= 2);
  CHECK(outcome.findings[0].rule == "tiny-copies");
  CHECK(outcome.findings[1].rule == "pageable-copies");
  for (std::size_t i = 1; i < outcome.findings.size(); ++i) {
    CHECK(outcome.findings[i - 1].saves >= outcome.findings[i].saves);
  }
  // Each rule is in one of the three lists.
  std::set<std::string> told;
  for (const auto& finding : outcome.findings) told.insert(finding.rule);
  for (const auto* rule : outcome.clear) CHECK(told.insert(rule->name).second);
  for (const auto& [rule, why] : outcome.unknown) CHECK(told.insert(rule->name).second);
  CHECK(told.size() == findings::rules().size());
}

TEST_CASE("findings in the view", "[show]") {
  FindingsRun run;
  two_faults(run);
  const std::string text = show::findings_text(run.subject(), {}, show::Terminal{});
  CHECK(has(text,
            "1. Many tiny copies: could save 20.0 % of the steps' time (200 ms) at most\n"
            "   where  train (train.py:44)\n"
            "   seen   5,000 copies"));
  CHECK(has(text, "2. Copies from and to pageable memory: could save 10.0 % of the steps' time (100 ms) at most"));
  CHECK(has(text, "Looked for, and not found or too small to tell: "));
  CHECK(has(text,
            "Not known, because no loop was seen that takes its data from a DataLoader, or from processes by "
            "pipes: waiting-for-data"));
  const std::string one = show::findings_text(run.subject(), {.limit = 1}, show::Terminal{});
  CHECK_FALSE(has(one, "Copies from and to pageable memory"));
  CHECK(has(one, "1 of 2 findings shown"));
  // No line is wider than the terminal.
  const std::string narrow = show::findings_text(run.subject(), {}, show::Terminal{false, false, 60});
  for (std::size_t at = 0; at < narrow.size();) {
    const std::size_t end = narrow.find('\n', at);
    CHECK(end - at <= 60);
    at = end + 1;
  }
}

TEST_CASE("findings: the summary has as many as its screen has lines for", "[show]") {
  FindingsRun run;
  two_faults(run);
  const std::string text = show::summary(run.subject(), {}, show::Terminal{.width = 1000});
  const std::size_t at = text.find("\nFindings\n");
  REQUIRE(at != std::string::npos);
  CHECK(has(text.substr(at), "1. Many tiny copies: "));
  CHECK(has(text.substr(at), "2. Copies from and to pageable memory"));
  CHECK(count(text.substr(at), "could save") <= 6);
  CHECK(std::count(text.begin(), text.end(), '\n') <= 40);
  // Narrow, and so longer: one at least, and what shows the others.
  const std::string narrow = show::summary(run.subject(), {}, show::Terminal{.width = 40});
  CHECK(has(narrow, "1. Many tiny copies: "));
  CHECK(has(narrow, "1 more: "));
}

// Catches numbers that are shown although nothing was found.
TEST_CASE("findings: a run without any", "[show]") {
  FindingsRun run;
  run.steps(10, 100, log::StepPart::Data, 1);
  const std::string text = show::findings_text(run.subject(), {}, show::Terminal{});
  const std::string none = "None of the " + std::to_string(run.look().clear.size()) +
                           " faults that this run can show was found; there may be others.\n";
  CHECK(has(text, none));
  CHECK_FALSE(has(text, "1. "));
  CHECK(has(show::summary(run.subject(), {}, show::Terminal{.width = 1000}), "\nFindings\n" + none));
}

TEST_CASE("findings as CSV", "[formats]") {
  FindingsRun run;
  two_faults(run);
  const auto sheets = findings_view(run.subject(), {.everything = true});
  REQUIRE(sheets.size() == 1);
  CHECK(sheets.front().rows.size() == findings::rules().size());
  for (const show::Row& row : sheets.front().rows) CHECK(row.cells.size() == sheets.front().columns.size());
  const std::string csv = formats::csv(sheets.front());
  CHECK(has(csv, "\nfound,tiny-copies,0.2"));
  CHECK(has(csv, "/app/train.py,44,train"));
  CHECK(has(csv, "\nnot found,device-idle,"));
  CHECK(has(csv, "\nnot known,waiting-for-data,"));
}

TEST_CASE("findings in JSON", "[formats]") {
  FindingsRun run;
  two_faults(run);
  const auto json = formats::Json::parse(formats::json(run.subject(), {})).at("findings");
  CHECK(json.at("basis") == "steps");
  CHECK(json.at("basis_s").get<double>() == Approx(1));
  REQUIRE(json.at("found").size() >= 2);
  const auto& first = json.at("found")[0];
  CHECK(first.at("rule") == "tiny-copies");
  CHECK(first.at("saves").get<double>() == Approx(0.2));
  CHECK(first.at("saves_s").get<double>() == Approx(0.2));
  CHECK(first.at("saves_bytes").is_null());
  REQUIRE(first.at("places").size() == 1);
  CHECK(first.at("places")[0].at("file") == "/app/train.py");
  CHECK(first.at("places")[0].at("line") == 44);
  CHECK(json.at("found").size() + json.at("not_found").size() + json.at("not_known").size() ==
        findings::rules().size());
}
