#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/formats/chrome.hpp"
#include "report/formats/csv.hpp"
#include "report/formats/folded.hpp"
#include "report/formats/json.hpp"
#include "report/show/measure.hpp"
#include "report/show/table.hpp"
#include "report/show/view.hpp"
#include "report/show/waiting/wall_words.hpp"
#include "report/summary/summary.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/sheet_cells.hpp"
#include "tests/unit/support/show_run.hpp"
#include "tests/unit/support/wait_run.hpp"

using namespace prof;
using nlohmann::json;
using show::Sheet;
using test::cell;
using test::number;
using test::says;
using test::text;
using test::WaitRun;

namespace {

constexpr std::int64_t kMs = 1'000'000;

const Sheet& whole(const Sheet& sheet) {
  for (const show::Row& row : sheet.rows) CHECK(row.cells.size() == sheet.columns.size());
  CHECK_FALSE(show::table(sheet, show::Terminal{}).empty());
  CHECK_FALSE(formats::csv(sheet).empty());
  return sheet;
}

bool in_table(const Sheet& sheet, const std::string& key) {
  return std::any_of(sheet.columns.begin(), sheet.columns.end(),
                     [&](const show::Column& at) { return at.key == key && at.where != show::Where::DataOnly; });
}

json document(const WaitRun& wait) {
  show::ViewOptions options;
  options.everything = true;
  return json::parse(formats::json(wait.subject(), options));
}

}  // namespace

TEST_CASE("blocking: the table of calls, then the places that waited", "[show]") {
  const WaitRun wait;
  const auto sheets = test::sheets_of("blocking", wait.subject(), {});
  REQUIRE(sheets.size() == 2);
  const Sheet& calls = whole(sheets[0]);
  CHECK(calls.columns[0].title == "%");
  CHECK(calls.columns[1].title == "total");
  CHECK(cell(calls, "call", "read", "calls") == number(1'000));
  CHECK(cell(calls, "call", "read", "avg_ns") == number(500'000));
  CHECK(cell(calls, "call", "read", "min_ns") == number(1'000));
  CHECK(cell(calls, "call", "read", "class") == text("file"));
  CHECK(cell(calls, "call", "read", "failed") == number(2));
  CHECK(cell(calls, "call", "read", "last_errno_name") == text("EAGAIN"));
  CHECK(cell(calls, "call", "read", "bytes") == number(1 << 20));
  CHECK(cell(calls, "call", "pthread_mutex_lock", "uncontended") == number(50));
  CHECK(in_table(calls, "uncontended"));
  CHECK(says(calls, "1 call was not over"));
  const Sheet& places = whole(sheets[1]);
  CHECK(cell(places, "site", "train (load.py:30)", "blocked_ns") == number(700 * kMs));
  CHECK(cell(places, "site", "train (load.py:20)", "class") == text("file"));
  CHECK(test::sheets_of("blocking", wait.subject(), {.everything = true}).size() == 1);
}

TEST_CASE("blocking: of a run that did not record it, the reason", "[show]") {
  WaitRun wait;
  wait.selection.pids = {501};
  const auto sheets = test::sheets_of("blocking", wait.subject(), {});
  REQUIRE(sheets.size() == 1);
  CHECK(sheets[0].rows.empty());
  CHECK(says(sheets[0], "PROF_WAIT=off"));
  const fold::CallTree tree = fold::build_call_tree(wait.run, wait.symbols, wait.selection);
  CHECK(show::not_known(model::Measure::Blocked, tree));
  const json report = document(wait);
  CHECK(report.at("blocking").is_null());
  CHECK(report.at("functions").at(0).at("blocked_s").is_null());
}

TEST_CASE("blocked time stands beside CPU time where anything was blocked", "[show]") {
  const WaitRun wait;
  const Sheet functions = whole(test::sheet_of("functions", wait.subject(), {}));
  CHECK(in_table(functions, "blocked_ns"));
  CHECK(cell(functions, "function", "read", "blocked_ns") == number(400 * kMs));
  CHECK(cell(functions, "function", "train", "cumblocked_ns") == number(1'150 * kMs));
  CHECK(cell(functions, "function", "train", "tottime_ns") == number(500 * kMs));
  const auto lines = test::sheets_of("lines", wait.subject(), {.sort = show::SortKey::Blocked});
  CHECK(in_table(whole(lines[0]), "blocked_ns"));
  CHECK(cell(lines[0], 0, "blocked_ns") == number(700 * kMs));
  CHECK(in_table(whole(test::sheet_of("source", wait.subject(), {.focus = "load.py"})), "cumblocked_ns"));
  const Sheet callers = whole(test::sheet_of("callers", wait.subject(), {.function = "^read$"}));
  CHECK(cell(callers, "relation", "caller", "cumblocked_ns") == number(400 * kMs));
  const test::SmallRun quiet;
  CHECK_FALSE(in_table(test::sheet_of("functions", quiet.subject(), {}), "blocked_ns"));
  CHECK_FALSE(in_table(test::sheets_of("lines", quiet.subject(), {})[0], "blocked_ns"));
}

TEST_CASE("trees and folded stacks by blocked and wall time", "[show]") {
  const WaitRun wait;
  for (const auto measure : {model::Measure::Blocked, model::Measure::WallTime, model::Measure::BlockingCalls}) {
    const Sheet tree = whole(test::sheet_of("tree", wait.subject(), {.measure = measure}));
    CHECK_FALSE(tree.rows.empty());
    CHECK(says(tree, "100 us"));
  }
  const Sheet tree = test::sheet_of("tree", wait.subject(), {.measure = model::Measure::WallTime});
  CHECK(cell(tree, "function", "read", "cumwall_ns") == number(500 * kMs));
  std::string folded;
  formats::folded(fold::build_call_tree(wait.run, wait.symbols), model::Measure::Blocked, false,
                  [&](std::string_view piece) { folded += piece; });
  CHECK(folded.find("train;libwork.so+0x100;read 400000000\n") != std::string::npos);
  CHECK(folded.find("train;nanosleep 700000000\n") != std::string::npos);
  CHECK(folded.find("train 5") == std::string::npos);
}

TEST_CASE("threads: the split as columns and as bars", "[show]") {
  const WaitRun wait;
  const Sheet threads = whole(test::sheet_of("threads", wait.subject(), {.sort = show::SortKey::Blocked}));
  CHECK(threads.rows.at(0).cells.at(1) == number(1001));
  CHECK(in_table(threads, "blocked_file_ns"));
  CHECK_FALSE(in_table(threads, "blocked_network_ns"));
  CHECK(in_table(threads, "run_queue_ns"));
  CHECK(says(threads, "Some processes did not record"));
  CHECK(says(threads, "made smaller to fit"));
  const std::string bars = wall_bars(wait.subject(), {}, show::Terminal{.width = 80});
  CHECK(bars.find("# CPU") != std::string::npos);
  CHECK(bars.find("f file") != std::string::npos);
  CHECK(bars.find("n network") == std::string::npos);
  CHECK(bars.find("4 threads together") != std::string::npos);
  // 42 columns for 2 s: 600 ms of CPU time, 400 in files, 700 asleep, 50 for the GPU, 220 not seen; and 30 in the run
  // queue, too little for a column where it falls.
  CHECK(bars.find("|#############ffffffffsssssssssssssssg.....\n") != std::string::npos);
  for (const std::size_t width : {0, 20, 200}) {
    CHECK_FALSE(wall_bars(wait.subject(), {}, show::Terminal{.width = width, .unicode = true}).empty());
  }
}

TEST_CASE("summary: where wall time went, and where to look when it was waiting", "[show]") {
  WaitRun wait;
  const std::string text = show::summary(wait.subject(), {}, show::Terminal{.width = 1000});
  CHECK(
      text.find("Main thread of pid 500: wall 2.00 s = CPU 30.0 % + sleep 35.0 % + file 20.0 % + not seen 11.0 % + GPU "
                "2.5 % + run queue 1.5 %.") != std::string::npos);
  CHECK(text.find("Next") < text.find("--view blocking"));
  wait.selection.pids = {501};
  CHECK(show::summary(wait.subject(), {}, show::Terminal{.width = 1000}).find("(blocking calls were not recorded)") !=
        std::string::npos);
}

TEST_CASE("JSON: blocking calls by the contract", "[formats]") {
  const json report = document(WaitRun());
  const json& blocking = report.at("blocking");
  const auto read =
      std::find_if(blocking.begin(), blocking.end(), [](const json& row) { return row.at("call") == "read"; });
  REQUIRE(read != blocking.end());
  CHECK(read->at("class") == "file");
  CHECK(read->at("calls") == 1'000);
  CHECK(read->at("total_s").get<double>() == Approx(0.5));
  CHECK(read->at("avg_s").get<double>() == Approx(0.0005));
  CHECK(read->at("min_s").get<double>() == Approx(1e-6));
  CHECK(read->at("max_s").get<double>() == Approx(0.2));
  CHECK(read->at("bytes") == 1 << 20);
  CHECK(read->at("last_errno_name") == "EAGAIN");
  CHECK(report.at("blocking_sites").at(0).at("blocked_s").get<double>() == Approx(1.5));
  for (const json& row : report.at("functions")) {
    if (row.at("name") == "read") CHECK(row.at("blocked_s").get<double>() == Approx(0.4));
    if (row.at("name") == "train") CHECK(row.at("cumblocked_s").get<double>() == Approx(1.15));
  }
  for (const json& row : report.at("lines")) {
    if (row.at("line") == 20) CHECK(row.at("blocked_s").get<double>() == Approx(0.4));
  }
  const json& thread = report.at("processes").at(0).at("thread_list").at(0);
  CHECK(thread.at("split").at("blocked").at("sleep").get<double>() == Approx(0.7));
  CHECK(thread.at("split").at("residual_s").get<double>() == Approx(0.22));
  CHECK(thread.at("use").at("major_faults").is_null());
  CHECK(report.at("processes").at(1).at("split").at("blocked_s").is_null());
}

TEST_CASE("chrome: a blocking call is on its thread's track", "[formats]") {
  const WaitRun wait(true);
  std::string out;
  const auto result = formats::chrome(wait.subject(), [&](std::string_view piece) { out += piece; });
  CHECK(result.events == 1);
  const json trace = json::parse(out);
  const auto& events = trace.at("traceEvents");
  const auto event = std::find_if(events.begin(), events.end(), [](const json& at) { return at.at("ph") == "X"; });
  REQUIRE(event != events.end());
  CHECK(event->at("name") == "read");
  CHECK(event->at("cat") == "wait,file");
  CHECK(event->at("tid") == 1000);
  CHECK(event->at("dur").get<double>() == Approx(200'000));
  CHECK(event->at("args").at("bytes") == 4096);
  CHECK(event->at("args").at("Caller") == "train (load.py:20)");
}
