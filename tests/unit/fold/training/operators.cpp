// Operators: from a log to rows, tables, JSON and a trace.
#include "report/fold/training/operators.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/formats/chrome.hpp"
#include "report/formats/csv.hpp"
#include "report/formats/json_ops.hpp"
#include "report/show/table.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/ops_run.hpp"
#include "tests/unit/support/show_run.hpp"

using namespace prof;
using fold::OperatorGroup;
using fold::OperatorRow;
using test::OpsRun;

namespace {

constexpr std::int64_t kUs = 1000;

const OperatorRow& row_of(const fold::Operators& ops, const std::string& name, const std::string& shapes = "") {
  const auto found = std::find_if(ops.rows.begin(), ops.rows.end(), [&](const OperatorRow& row) {
    return row.name == name && (shapes.empty() || row.shapes == shapes);
  });
  REQUIRE(found != ops.rows.end());
  return *found;
}

fold::Operators ops_of(const OpsRun& ops, OperatorGroup group = OperatorGroup::Name) {
  return fold::operators(ops.run, ops.selection, group);
}

std::string text_of(const show::Sheet& sheet) { return show::table(sheet, show::Terminal{}); }

}  // namespace

TEST_CASE("operators by name: self adds up, and calls of itself are in the total once") {
  const OpsRun run;
  CHECK(run.run.warnings.empty());
  const fold::Operators ops = ops_of(run);
  CHECK(ops.rows.size() == 5);  // aten::open has not ended
  CHECK(ops.self_ns == 116 * kUs);
  const OperatorRow& linear = row_of(ops, "aten::linear");
  CHECK(linear.calls == 3);
  CHECK(linear.self_ns == 30 * kUs);
  CHECK(linear.total_ns == 60 * kUs);
  CHECK(linear.each_ns == 80 * kUs);
  CHECK(linear.each.min_ns == 10 * kUs);
  CHECK(linear.each.max_ns == 60 * kUs);
  CHECK(linear.kind == "forward");
  CHECK(linear.shapes.empty());
  CHECK(linear.self_host_bytes == 60);
  CHECK(linear.host_bytes == 70);  // 100 + 10 - 40
  const OperatorRow& addmm = row_of(ops, "aten::addmm");
  CHECK(addmm.calls == 4);
  CHECK(addmm.self_ns == 47 * kUs);
  CHECK(addmm.total_ns == 67 * kUs);
  CHECK(addmm.host_bytes == -30);
  CHECK(row_of(ops, "AddBackward").kind == "backward");
  CHECK(row_of(ops, "ProfilerStep#*").self_ns == 10 * kUs);
  CHECK(ops.rows.front().name == "aten::addmm");
  const OperatorRow& div = row_of(ops, "aten::div_");
  CHECK(div.calls == 3);
  CHECK(div.self_ns == 9 * kUs);
  CHECK(div.total_ns == 9 * kUs);
}

TEST_CASE("operators by shape and by thread") {
  const OpsRun run;
  const fold::Operators shapes = ops_of(run, OperatorGroup::Shape);
  CHECK(shapes.rows.size() == 6);
  CHECK(shapes.shapes);
  CHECK(row_of(shapes, "aten::addmm", "[[4]]").calls == 3);
  CHECK(row_of(shapes, "aten::addmm", "[[5]]").calls == 1);
  CHECK(row_of(shapes, "aten::linear").shapes == "[[8, 3], [4]]");
  const fold::Operators threads = ops_of(run, OperatorGroup::Thread);
  CHECK(threads.rows.size() == 6);
  const auto of_second = std::count_if(threads.rows.begin(), threads.rows.end(), [](const OperatorRow& row) {
    return row.thread == 1 && row.name == "aten::addmm" && row.calls == 1;
  });
  CHECK(of_second == 1);
}

TEST_CASE("operators: selected by thread, by what they are inside of, and without what is ignored") {
  OpsRun run;
  run.selection.threads = {"1001"};
  CHECK(ops_of(run).rows.size() == 2);
  CHECK(ops_of(run).self_ns == 16 * kUs);
  run.selection.threads.clear();
  run.selection.focus = fold::Pattern("Backward");
  CHECK(ops_of(run).rows.size() == 2);
  CHECK(row_of(ops_of(run), "aten::addmm").calls == 1);
  run.selection.ignore = fold::Pattern("addmm");
  CHECK(ops_of(run).rows.size() == 1);
  CHECK(ops_of(run).rows.front().total_ns == 30 * kUs);
  run.selection.focus.reset();
  CHECK(row_of(ops_of(run), "aten::linear").calls == 2);
}

TEST_CASE("ops view: torch's columns in torch's order") {
  const OpsRun run;
  const show::Sheet sheet = test::sheet_of("ops", run.subject(), {});
  std::vector<std::string> titles;
  for (const show::Column& column : sheet.columns) {
    if (column.where != show::Where::DataOnly) titles.push_back(column.title);
  }
  CHECK(titles == std::vector<std::string>{"Name", "Self CPU", "Self CPU", "CPU total", "CPU total", "CPU time avg",
                                           "CPU Mem", "Self CPU Mem", "# of Calls"});
  CHECK(std::get<std::string>(sheet.rows.front().cells.front()) == "aten::addmm");
  CHECK(std::get<double>(sheet.rows.front().cells[1]) == Approx(47.0 / 116));
  CHECK(std::get<double>(sheet.rows.front().cells[3]) == Approx(67.0 / 116));
  CHECK(sheet.notes.front() == "Self CPU time total: 116 us");
  CHECK(text_of(test::sheet_of("ops", run.subject(), {.group_by = OperatorGroup::Shape})).find("[[8, 3], [4]]") !=
        std::string::npos);
  CHECK(text_of(test::sheet_of("ops", run.subject(), {.group_by = OperatorGroup::Thread})).find("100 1001") !=
        std::string::npos);
  const auto first = [&](show::SortKey key) {
    return std::get<std::string>(test::sheet_of("ops", run.subject(), {.sort = key}).rows.front().cells.front());
  };
  CHECK(first(show::SortKey::Cumtime) == "ProfilerStep#*");
  CHECK(first(show::SortKey::Average) == "ProfilerStep#*");
  CHECK(first(show::SortKey::Calls) == "aten::addmm");
  CHECK(first(show::SortKey::HostBytes) == "aten::linear");
  CHECK(first(show::SortKey::Name) == "AddBackward");
  CHECK(test::sheet_of("ops", run.subject(), {.limit = 2}).rows.size() == 2);
  const std::string csv =
      formats::csv(test::sheet_of("ops", run.subject(), {.everything = true, .group_by = OperatorGroup::Shape}));
  CHECK(csv.find("aten::addmm,30000,") == std::string::npos);
  CHECK(csv.find("aten::linear,30000,60000,26667,10000,60000,,,,,70,60,,,3,forward,\"[[8, 3], [4]]\"") !=
        std::string::npos);
}

TEST_CASE("ops view says why it is empty, and leaves out memory that was not recorded") {
  const test::SmallRun none;
  CHECK(test::sheet_of("ops", none.subject(), {}).rows.empty());
  CHECK(test::sheet_of("ops", none.subject(), {}).captions.front().find("PyTorch") != std::string::npos);
  CHECK(formats::ops_json(none.subject()).is_null());
  const OpsRun plain(false, false);
  const show::Sheet sheet = test::sheet_of("ops", plain.subject(), {});
  for (const show::Column& column : sheet.columns) {
    INFO(column.key);
    const bool memory = column.kind == show::Kind::Bytes;
    if (memory || column.key == "shapes") CHECK(column.where == show::Where::DataOnly);
  }
}

TEST_CASE("json: operators, and what is not known of them as null") {
  const OpsRun run;
  const auto ops = formats::ops_json(run.subject());
  REQUIRE(ops.size() == 6);
  CHECK(ops[0]["name"] == "aten::addmm");
  CHECK(ops[0]["shapes"] == "[[4]]");
  CHECK(ops[0]["calls"] == 3);
  CHECK(ops[0]["self_cpu_s"] == Approx(40e-6));
  CHECK(ops[0]["self_mem_bytes"] == 10);
  CHECK(ops[0]["gpu_s"].is_null());
  CHECK(ops[0]["gpu_mem_bytes"].is_null());
  CHECK(formats::ops_json(OpsRun(true, false).subject())[0]["mem_bytes"].is_null());
}

TEST_CASE("chrome: an operator is a cpu_op with its shapes") {
  const OpsRun run;
  std::string out;
  const auto result = formats::chrome(run.subject(), [&](std::string_view piece) { out += piece; });
  CHECK(result.events == 1);
  const auto trace = nlohmann::json::parse(out);
  const auto& event = trace.at("traceEvents").front();
  CHECK(event.at("name") == "aten::linear");
  CHECK(event.at("cat") == "cpu_op");
  CHECK(event.at("dur") == 60.0);
  CHECK(event.at("args").at("Input Dims") == nlohmann::json::parse("[[8, 3], [4]]"));
}

// A log may say anything: records of operators on nodes that are none, and operators below what is none.
TEST_CASE("operators of a damaged log are left out and counted") {
  test::TempDir temp;
  test::LogBuilder log;
  log.thread(0);
  const std::uint32_t stray = log.node(0, log.named(log::NameKind::Operator, "aten::stray", "forward"));
  const std::uint32_t root = log.node(0, log.special(log::SpecialFrame::Operators));
  const std::uint32_t good = log.node(root, log.named(77));  // a name that the log does not have
  const log::OperatorWords words{1, UINT64_MAX, 5, 1, 1, UINT64_MAX, 0, 0, 0};
  for (const std::uint32_t node : {stray, root, good, 999U}) log.record(log::RecordClass::Operator, node, words);
  log.write(temp / "100.1.proflog");
  const model::Run run = model::load(temp.path());
  const fold::Operators ops = fold::operators(run, {}, OperatorGroup::Name);
  REQUIRE(ops.rows.size() == 1);
  CHECK(ops.rows.front().name == "(unnamed)");
  CHECK(ops.rows.front().total_ns == INT64_MAX);
  CHECK(ops.rows.front().self_host_bytes == -1);
  CHECK(run.processes.front().damage.bad_references >= 3);
}
