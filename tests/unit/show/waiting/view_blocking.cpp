#include <nlohmann/json.hpp>

#include "report/show/measure.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/json_document.hpp"
#include "tests/unit/support/sheet_cells.hpp"
#include "tests/unit/support/wait_run.hpp"

using namespace prof;
using nlohmann::json;
using show::Sheet;
using test::cell;
using test::in_table;
using test::milliseconds;
using test::number;
using test::says;
using test::text;
using test::WaitRun;
using test::whole;

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
  CHECK(cell(places, "site", "train (load.py:30)", "blocked_ns") == milliseconds(700));
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
  const json report = test::document(wait.subject());
  CHECK(report.at("blocking").is_null());
  CHECK(report.at("functions").at(0).at("blocked_s").is_null());
}
