// Steps: from a log to what they are made of, which stand out and why; tables, CSV and JSON.
#include "report/fold/training/steps.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "report/formats/csv.hpp"
#include "report/formats/json_steps.hpp"
#include "report/show/table.hpp"
#include "report/show/training/step_text.hpp"
#include "report/summary/summary.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/ops_run.hpp"
#include "tests/unit/support/steps_run.hpp"

using namespace prof;
using fold::Outlier;
using fold::StepTable;
using log::StepPart;
using log::WaitClass;
using test::kMs;
using test::known_steps;
using test::StepsRun;

namespace {

StepTable table_of(const StepsRun& steps) {
  std::vector<StepTable> tables = fold::step_tables(steps.run, steps.selection);
  REQUIRE(tables.size() == 1);
  return tables.front();
}

std::vector<log::StepRecord> halved(const std::vector<log::StepRecord>& records) {
  std::vector<log::StepRecord> out;
  for (std::size_t i = 0; i + 1 < records.size(); i += 2) out.push_back(test::merged(records[i], records[i + 1]));
  return out;
}

std::vector<log::StepRecord> even_steps(std::uint64_t count, std::uint64_t ns = 10 * kMs) {
  std::vector<log::StepRecord> out;
  for (std::uint64_t i = 1; i <= count; ++i) out.push_back(test::step_record(i, i * ns, ns));
  return out;
}

std::int64_t ms(std::int64_t count) { return count * static_cast<std::int64_t>(kMs); }

}  // namespace

TEST_CASE("steps: 50 of them with a warm-up, a stall and slow data every tenth") {
  const StepsRun run;
  CHECK(run.run.warnings.empty());
  const StepTable table = table_of(run);
  CHECK(table.count == 50);
  CHECK(table.warmup == 2);
  CHECK(table.steady == 48);
  CHECK(table.steady_ns == ms(48 * 30 + 200 + 5 * 45));
  CHECK(table.steady_cpu_ns == ms(48 * 25));
  CHECK(table.steady_process_cpu_ns == ms(48 * 40));
  CHECK(table.median_ns == Approx(30e6));
  CHECK(table.shortest_ns == ms(30));
  CHECK(table.longest_ns == ms(275));
  CHECK(table.figures.of(StepPart::Data) == ms(48 * 5 + 5 * 45));
  CHECK(table.figures.of(StepPart::Forward) == ms(480));
  CHECK(table.figures.of(StepPart::Other) == ms(48 + 200));
  CHECK(table.part(StepPart::Backward) == Approx(480.0 / 1865));
  double all = 0;
  for (std::uint32_t i = 0; i < log::kStepParts; ++i) all += table.part(static_cast<StepPart>(i));
  CHECK(all == Approx(1));
  CHECK_FALSE(table.trend);

  REQUIRE(table.outliers.size() == 5);
  CHECK(table.outliers[0].number == 20);
  CHECK(table.outliers[0].ns == ms(275));
  CHECK(table.outliers[0].part == StepPart::Other);
  CHECK(table.outliers[0].surplus_ns == ms(200));
  REQUIRE(table.outliers[0].waited);
  CHECK(*table.outliers[0].waited == WaitClass::Sleep);
  std::vector<std::int64_t> others;
  for (std::size_t i = 1; i < 5; ++i) {
    others.push_back(table.outliers[i].number);
    CHECK(table.outliers[i].ns == ms(75));
    CHECK(table.outliers[i].part == StepPart::Data);
    CHECK(table.outliers[i].surplus_ns == ms(45));
    REQUIRE(table.outliers[i].waited);
    CHECK(*table.outliers[i].waited == WaitClass::Pipe);
  }
  CHECK(others == std::vector<std::int64_t>{10, 30, 40, 50});
  CHECK(table.period == 10);
}

TEST_CASE("steps: merged records tell the same, as far as they know") {
  const std::vector<log::StepRecord> records = known_steps(1600);
  const StepTable whole = table_of(StepsRun(records));
  const StepsRun run(halved(halved(records)), 4);
  const StepTable table = table_of(run);
  CHECK(table.count == 1600);
  // Of the first record the longest step and the rest are slow.
  CHECK(whole.warmup == 2);
  CHECK(table.warmup == 4);
  CHECK(table.steady_ns == whole.steady_ns - ms(60));
  CHECK(table.median_ns == Approx(whole.median_ns));
  CHECK(table.longest_ns == whole.longest_ns);
  CHECK(table.figures.of(StepPart::Data) == whole.figures.of(StepPart::Data) - ms(10));
  CHECK(table.outliers.front().number == 20);
  CHECK(table.outliers.front().part == StepPart::Other);
  CHECK(table.outliers.size() == 160);  // one in four steps is known by itself, and one in ten is slow
  CHECK(table.period == 10);
}

TEST_CASE("steps: even ones have neither a warm-up nor outliers nor a period") {
  const StepTable table = table_of(StepsRun(even_steps(100)));
  CHECK(table.warmup == 0);
  CHECK(table.steady == 100);
  CHECK(table.outliers.empty());
  CHECK_FALSE(table.period);
}

TEST_CASE("steps: scatter makes no outliers, and irregular ones have no period") {
  std::vector<log::StepRecord> records = even_steps(200);
  std::uint64_t state = 1;
  for (log::StepRecord& record : records) {
    state = state * 6364136223846793005 + 1442695040888963407;
    record.ns += (state >> 33) % (4 * kMs);  // 10 to 14 ms
  }
  CHECK(table_of(StepsRun(records)).outliers.empty());
  for (const std::uint64_t number : {41, 48, 97, 130, 171}) records[number - 1].ns = 60 * kMs;
  const StepTable table = table_of(StepsRun(records));
  CHECK(table.outliers.size() == 5);
  CHECK_FALSE(table.period);
}

// Catches the end of each epoch that is lost among steps that took a little longer.
TEST_CASE("steps: much longer ones come regularly, beside scatter") {
  std::vector<log::StepRecord> records = even_steps(300);
  for (const std::uint64_t number : {17, 41, 48, 97, 130, 171, 205, 240}) records[number - 1].ns = 30 * kMs;
  for (const std::uint64_t number : {63, 126, 189, 252}) records[number - 1].ns = 2000 * kMs;
  const StepTable table = table_of(StepsRun(records));
  CHECK(table.outliers.size() == 12);
  CHECK(table.period == 63);
  CHECK(table.of_longest);
  records[126 - 1].ns = 10 * kMs;
  records[140 - 1].ns = 2000 * kMs;
  CHECK_FALSE(table_of(StepsRun(records)).period);
}

TEST_CASE("steps: every other one slow is the loop's way, not an outlier") {
  std::vector<log::StepRecord> records = even_steps(40);
  for (std::size_t i = 0; i < records.size(); i += 2) records[i].ns = 20 * kMs;
  CHECK(table_of(StepsRun(records)).outliers.empty());
}

TEST_CASE("steps: a warm-up is at most a quarter of the run, and ends with the first usual step") {
  std::vector<log::StepRecord> records = even_steps(40);
  for (std::size_t i = 0; i < 20; ++i) records[i].ns = 50 * kMs;
  CHECK(table_of(StepsRun(records)).warmup == 10);
  records = even_steps(40);
  for (const std::size_t i : {0, 1, 3}) records[i].ns = 50 * kMs;
  CHECK(table_of(StepsRun(records)).warmup == 2);
  records = even_steps(3);
  records[0].ns = 90 * kMs;
  CHECK(table_of(StepsRun(records)).warmup == 0);  // too few to tell
}

TEST_CASE("steps: a time that grows is told as a share") {
  std::vector<log::StepRecord> records = even_steps(80);
  for (std::size_t i = 0; i < 80; ++i) records[i].ns = 10 * kMs + i * kMs / 20;
  const StepTable table = table_of(StepsRun(records));
  REQUIRE(table.trend);
  CHECK(*table.trend == Approx(0.29).margin(0.03));
  // What no step computes or waits for is the machine's.
  REQUIRE(show::step_oddities(table).size() == 1);
  CHECK(show::step_oddities(table).front().find("longer than at the beginning, most of that without a processor") !=
        std::string::npos);
  for (log::StepRecord& record : records) record.cpu_ns = record.ns;
  const StepTable computed = table_of(StepsRun(records));
  CHECK(computed.trend_seen == Approx(*computed.trend).margin(0.03));
  REQUIRE(show::step_oddities(computed).size() == 1);
  CHECK(show::step_oddities(computed).front().ends_with("longer than at the beginning"));
  for (std::size_t i = 0; i < 80; ++i) records[i].ns = 14 * kMs - i * kMs / 20;
  for (log::StepRecord& record : records) record.cpu_ns = 5 * kMs;
  CHECK(table_of(StepsRun(records)).trend_seen == Approx(0));
  CHECK(show::step_oddities(table_of(StepsRun(records))).empty());
  // Scatter is no trend.
  std::uint64_t state = 7;
  for (log::StepRecord& record : records) {
    state = state * 6364136223846793005 + 1442695040888963407;
    record.ns = 10 * kMs + (state >> 33) % (4 * kMs);
  }
  CHECK_FALSE(table_of(StepsRun(records)).trend);
  // Nor is other load that comes in the middle, or comes and goes.
  for (std::size_t i = 0; i < 80; ++i) records[i].ns = (i < 40 ? 10 : 14) * kMs + i * kMs / 200;
  CHECK_FALSE(table_of(StepsRun(records)).trend);
  for (std::size_t i = 0; i < 80; ++i) records[i].ns = (i < 20 ? 10 : i < 40 ? 18 : 13) * kMs + i * kMs / 200;
  CHECK_FALSE(table_of(StepsRun(records)).trend);
  records.resize(7);
  for (std::size_t i = 0; i < 7; ++i) records[i].ns = (10 + i) * kMs;
  CHECK_FALSE(table_of(StepsRun(records)).trend);  // too few
}

TEST_CASE("steps: damaged figures stay in range") {
  std::vector<log::StepRecord> records = even_steps(20);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].ns = records[i].cpu_ns = records[i].process_cpu_ns = i % 3 == 0 ? 0 : UINT64_MAX;
    for (std::uint64_t& part : records[i].sum.parts_ns) part = UINT64_MAX;
    records[i].count = i % 2 == 0 ? 1 : 1ULL << 40;
    records[i].first = (i + 1) << 42;
    records[i].longest = UINT64_MAX;
    records[i].longest_ns = UINT64_MAX;
  }
  const StepsRun run(records);
  const StepTable table = table_of(run);
  CHECK(table.steady_ns >= 0);
  CHECK(std::isfinite(table.median_ns));
  show::ViewOptions options;
  for (const show::Sheet& sheet : test::sheets_of("steps", run.subject(), options)) {
    CHECK_FALSE(show::table(sheet, show::Terminal{}).empty());
  }
}

TEST_CASE("steps: tables say what they were found by, their parts, what stands out, and their course") {
  const StepsRun run;
  show::ViewOptions options;
  const std::vector<show::Sheet> sheets = test::sheets_of("steps", run.subject(), options);
  REQUIRE(sheets.size() == 3);
  const auto text = [](const show::Sheet& sheet) { return show::table(sheet, show::Terminal{}); };
  const std::string parts = text(sheets[0]), slow = text(sheets[1]), course = text(sheets[2]);
  CAPTURE(parts, slow, course);
  CHECK(parts.find("Steps of pid 100 (rank 3)") != std::string::npos);
  CHECK(parts.find("Optimizer.step#SGD.step") != std::string::npos);
  CHECK(parts.find("50, the first 2 of them to warm up, then a median of 30.0 ms (30.0 ms to 275 ms)") !=
        std::string::npos);
  CHECK(parts.find("most of them every 10 steps") != std::string::npos);
  CHECK(parts.find("4 steps were left out") != std::string::npos);
  CHECK(parts.find("evaluation") == std::string::npos);  // there was none
  CHECK(sheets[0].rows.size() == 7);                     // six parts and all
  CHECK(sheets[1].rows.size() == 5);
  CHECK(slow.find("sleep") != std::string::npos);
  CHECK(sheets[2].rows.size() == 16);
  CHECK(course.find("optimizer") != std::string::npos);
  options.limit = 0;
  CHECK(test::sheets_of("steps", run.subject(), options)[2].rows.size() == 50);
  options.limit = 3;
  CHECK(test::sheets_of("steps", run.subject(), options)[2].rows.size() == 3);
  CHECK(test::sheets_of("steps", run.subject(), options)[1].rows.size() == 3);
}

TEST_CASE("steps: as CSV each record is a row") {
  const StepsRun run;
  show::ViewOptions options;
  options.everything = true;
  const std::vector<show::Sheet> sheets = test::sheets_of("steps", run.subject(), options);
  REQUIRE(sheets.size() == 1);
  CHECK(sheets[0].rows.size() == 50);
  const std::string csv = formats::csv(sheets[0]);
  CHECK(
      csv.starts_with("pid,rank,step,steps,begin_ns,wall_ns,cpu_ns,process_cpu_ns,shortest_ns,longest_ns,"
                      "longest_step,warmup,slow,other_ns,data_ns,"));
  CHECK(csv.find("\r\n100,3,1,1,0,120000000,25000000,40000000,120000000,120000000,1,1,0,1000000,5000000,") !=
        std::string::npos);
  CHECK(csv.find("\r\n100,3,20,1,") != std::string::npos);
}

TEST_CASE("steps: JSON has all of it, and null where there were none") {
  const StepsRun run;
  const formats::Json json = formats::steps_json(run.subject());
  REQUIRE(json.size() == 1);
  const formats::Json& steps = json[0];
  CHECK(steps["pid"] == 100);
  CHECK(steps["rank"] == 3);
  CHECK(steps["found_by"] == "optimizer");
  CHECK(steps["name"] == "Optimizer.step#SGD.step");
  CHECK(steps["steps"] == 50);
  CHECK(steps["warmup"] == 2);
  CHECK(steps["dropped"] == 4);
  CHECK(steps["steady"]["steps"] == 48);
  CHECK(steps["steady"]["median_s"].get<double>() == Approx(0.030));
  CHECK(steps["steady"]["parts_s"]["forward"].get<double>() == Approx(0.48));
  CHECK(steps["steady"]["blocked_s"]["pipe"].get<double>() == Approx(0.22));
  CHECK(steps["outliers"].size() == 5);
  CHECK(steps["outliers"][0]["step"] == 20);
  CHECK(steps["outliers"][0]["part"] == "other");
  CHECK(steps["outliers"][0]["waited"] == "sleep");
  CHECK(steps["period"] == 10);
  CHECK(steps["records"].size() == 50);
  CHECK(steps["records"][9]["parts_s"]["data"].get<double>() == Approx(0.050));

  const test::OpsRun none;
  CHECK(formats::steps_json(none.subject()).is_null());
  show::ViewOptions options;
  const std::vector<show::Sheet> sheets = test::sheets_of("steps", none.subject(), options);
  REQUIRE(sheets.size() == 1);
  CHECK(show::table(sheets[0], show::Terminal{}).find("No steps were seen") != std::string::npos);
}

TEST_CASE("steps: the summary has a line of them") {
  const StepsRun run;
  const std::string text = show::summary(run.subject(), {}, show::Terminal{.width = 1000});
  CAPTURE(text);
  CHECK(text.find("Steps      50, the first 2 of them to warm up, then a median of 30.0 ms") != std::string::npos);
  CHECK(text.find("--view steps") != std::string::npos);
  const test::OpsRun none;
  CHECK(show::summary(none.subject(), {}, show::Terminal{.width = 1000}).find("\nSteps ") == std::string::npos);
}

TEST_CASE("steps: processes that are not selected have none") {
  StepsRun run;
  run.selection.ranks = {2};
  CHECK(fold::step_tables(run.run, run.selection).empty());
  run.selection.ranks = {3};
  CHECK(fold::step_tables(run.run, run.selection).size() == 1);
}
