// Operators by step of the loop, from the trace: rows, view, CSV and JSON.
#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "report/fold/training/operators_by_step.hpp"
#include "report/formats/csv.hpp"
#include "report/formats/json_ops.hpp"
#include "report/show/table.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/operator_trace_run.hpp"
#include "tests/unit/support/ops_run.hpp"

using namespace prof;
using fold::OperatorGroup;
using fold::OperatorRow;

namespace {

constexpr std::int64_t kUs = 1000;
using Step = std::optional<std::int64_t>;

fold::Operators ops_of(const test::OperatorTraceRun& run, Step only = {}) {
  return fold::operators_by_step(run.run, run.selection, only);
}

const OperatorRow& row_of(const fold::Operators& ops, Step step, const std::string& name) {
  const auto found = std::find_if(ops.rows.begin(), ops.rows.end(),
                                  [&](const OperatorRow& row) { return row.step == step && row.name == name; });
  REQUIRE(found != ops.rows.end());
  return *found;
}

std::map<Step, std::int64_t> self_by_step(const fold::Operators& ops) {
  std::map<Step, std::int64_t> out;
  for (const OperatorRow& row : ops.rows) out[row.step] += row.self_ns / kUs;
  return out;
}

std::string view(const test::OperatorTraceRun& run, show::ViewOptions options) {
  return show::table(test::sheet_of("ops", run.subject(), options), show::Terminal{});
}

std::size_t lines_with(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

}  // namespace

// Catches an operator in the step that it ended in, self times that do not add up, overloads that count twice, time of
// operators that another thread ended, and another thread's as nested.
TEST_CASE("operators by step: each belongs to the step in which it began, and self times add up") {
  const test::OperatorTraceRun run;
  CHECK(run.run.warnings.empty());
  const fold::Operators ops = ops_of(run);
  CHECK(ops.traced);
  REQUIRE(ops.steps.size() == 2);  // the trace has nothing of step 9
  CHECK(ops.steps[0].number == 7);
  CHECK(ops.steps[1].number == 8);
  CHECK(ops.steps[0].whole);
  CHECK(self_by_step(ops) == std::map<Step, std::int64_t>{{7, 102}, {8, 28}, {std::nullopt, 10}});
  CHECK(ops.self_ns == 140 * kUs);
  const OperatorRow& first = row_of(ops, 7, "aten::linear");
  CHECK(first.calls == 1);
  CHECK(first.self_ns == 3 * kUs);
  CHECK(first.total_ns == 20 * kUs);
  const OperatorRow& second = row_of(ops, 8, "aten::linear");
  CHECK(second.calls == 3);
  CHECK(second.self_ns == 28 * kUs);
  CHECK(second.total_ns == 36 * kUs);
  CHECK(second.each.min_ns == 8 * kUs);
  CHECK(second.each.max_ns == 18 * kUs);
  const OperatorRow& scope = row_of(ops, 7, "loss");
  CHECK(scope.kind == "scope");
  CHECK(scope.self_ns == 39 * kUs);
  const OperatorRow& backward = row_of(ops, 7, "NormBackward");
  CHECK(backward.kind == "backward");
  CHECK(backward.calls == 1);
  CHECK(backward.self_ns == 10 * kUs);
  CHECK(backward.total_ns == 10 * kUs);
  CHECK(row_of(ops, 7, "aten::late").self_ns == 10 * kUs);
  CHECK(row_of(ops, std::nullopt, "aten::after").calls == 1);
  // By step, and most self time first.
  CHECK(ops.rows.front().name == "loss");
  CHECK(ops.rows.back().name == "aten::after");
  CHECK(fold::operators(run.run, run.selection, OperatorGroup::Step).rows.size() == ops.rows.size());
}

TEST_CASE("operators by step: one step, a thread, a name and all inside it") {
  test::OperatorTraceRun run;
  CHECK(self_by_step(ops_of(run, 8)) == std::map<Step, std::int64_t>{{8, 28}});
  CHECK(ops_of(run, 8).steps.size() == 2);
  CHECK(ops_of(run, 9).rows.empty());
  run.selection.threads = {"1001"};
  CHECK(self_by_step(ops_of(run)) == std::map<Step, std::int64_t>{{7, 10}});
  run.selection.threads.clear();
  run.selection.focus = fold::Pattern("^loss$");
  run.selection.ignore = fold::Pattern("^Mm");
  CHECK(self_by_step(ops_of(run)) == std::map<Step, std::int64_t>{{7, 39 + 6 + 4}});
}

// Catches a step that is told as if all of it were there when the ring has lost its beginning, or the window began
// later.
TEST_CASE("operators by step: of which steps the trace has a part alone") {
  const test::OperatorTraceRun lost(1);
  const fold::Operators ops = ops_of(lost);
  CHECK_FALSE(ops.steps.at(0).whole);
  CHECK(ops.steps.at(1).whole);
  CHECK(view(lost, {.group_by = OperatorGroup::Step}).find("Of step 7 it has only a part") != std::string::npos);
  test::OperatorTraceRun late;
  late.run.processes[0].window = {{true, late.run.processes[0].start_monotonic_ns + 250'000}};
  CHECK(ops_of(late).steps.at(0).whole);
  CHECK_FALSE(ops_of(late).steps.at(1).whole);
}

TEST_CASE("operators by step: the view bounds each step by itself, and says what the trace has") {
  const test::OperatorTraceRun run;
  const std::string all = view(run, {.group_by = OperatorGroup::Step});
  INFO(all);
  CHECK(all.find("The trace has steps 7 to 8.") != std::string::npos);
  CHECK(all.find("only a part") == std::string::npos);
  CHECK(lines_with(all, "aten::linear") == 2);
  CHECK(all.find("Self CPU time total: 140") != std::string::npos);
  const std::string few = view(run, {.limit = 1, .group_by = OperatorGroup::Step});
  CHECK(lines_with(few, "aten::linear") == 1);
  CHECK(few.find("loss") != std::string::npos);
  CHECK(few.find("aten::after") != std::string::npos);
  CHECK(few.find("3 of 12 operators shown") != std::string::npos);
  fold::OperatorGrouping none(OperatorGroup::Step);
  none.step = 9;
  CHECK(view(run, {.group_by = none}).find("Step 9 is not in the trace: that has 7 to 8.") != std::string::npos);

  const std::string csv =
      formats::csv(test::sheet_of("ops", run.subject(), {.everything = true, .group_by = OperatorGroup::Step}));
  CHECK(csv.find("\r\naten::t,4000,4000,4000,4000,4000,") != std::string::npos);
  CHECK(csv.find(",step,pid,") != std::string::npos);
  CHECK(csv.find(",7,100,") != std::string::npos);
}

TEST_CASE("operators by step: without a trace the view says how to record one") {
  test::OpsRun run;
  run.run.processes[0].tree.trace.reset();
  const std::string text =
      show::table(test::sheet_of("ops", run.subject(), {.group_by = OperatorGroup::Step}), show::Terminal{});
  CHECK(text.find("prof run --trace 64M --schedule") != std::string::npos);
  CHECK(formats::ops_by_step_json(run.subject()).is_null());
  const test::OpsRun without;  // a trace, and no steps
  CHECK(show::table(test::sheet_of("ops", without.subject(), {.group_by = OperatorGroup::Step}), show::Terminal{})
            .find("The trace has no steps") != std::string::npos);
  CHECK(formats::ops_by_step_json(without.subject()).is_null());
}

TEST_CASE("operators by step: JSON") {
  const test::OperatorTraceRun run(1);
  const auto json = formats::ops_by_step_json(run.subject());
  CHECK(json.at("steps").dump() == R"([{"process":0,"step":7,"whole":false},{"process":0,"step":8,"whole":true}])");
  const auto& rows = json.at("rows");
  REQUIRE(rows.size() == 12);
  CHECK(rows.at(0).at("name") == "loss");
  CHECK(rows.at(0).at("step") == 7);
  CHECK(rows.at(0).at("process") == 0);
  CHECK(rows.at(0).at("self_cpu_s").get<double>() == Approx(39e-6));
  CHECK(rows.at(0).at("cpu_s").get<double>() == Approx(58e-6));
  CHECK(rows.at(0).at("gpu_s").is_null());
  CHECK(rows.at(11).at("step").is_null());
}
