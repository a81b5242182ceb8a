#include "report/show/view.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/python_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"

using namespace prof;
using show::Sheet;
using show::SortKey;
using test::cell;
using test::milliseconds;
using test::number;
using test::says;
using test::text;

TEST_CASE("calls: cProfile's table") {
  const test::PythonRun python;
  const Sheet sheet = test::sheet_of("calls", python.subject(), {});
  REQUIRE(sheet.rows.size() == 3);
  CHECK(cell(sheet, 0, "ncalls") == text("8/2"));
  CHECK(cell(sheet, 0, "tottime_ns") == milliseconds(40));
  CHECK(cell(sheet, 0, "tottime_percall_ns") == milliseconds(5));
  CHECK(cell(sheet, 0, "cumtime_ns") == milliseconds(90));
  CHECK(cell(sheet, 0, "cumtime_percall_ns") == milliseconds(45));
  CHECK(cell(sheet, 0, "place") == text("train.py:4(Trainer.fit)"));
  CHECK(cell(sheet, 1, "place") == text("{built-in method builtins.len}"));
  CHECK(cell(sheet, 1, "ncalls") == text("12"));
  CHECK(says(sheet, "21 calls of 3 functions, in 51.0 ms"));
  CHECK(cell(test::sheet_of("calls", python.subject(), {.sort = SortKey::Calls}), 0, "calls") == number(12));
  CHECK(cell(test::sheet_of("calls", python.subject(), {.sort = SortKey::Cumtime}), 0, "function") == text("<module>"));
}

TEST_CASE("calls: a focus shows the callers above each function") {
  const test::PythonRun python;
  const Sheet sheet = test::sheet_of("calls", python.subject(), {.focus = "fit$"});
  REQUIRE(sheet.rows.size() == 3);
  CHECK(cell(sheet, 0, "relation") == text("caller"));
  CHECK(cell(sheet, 0, "place") == text("<- train.py:1(<module>)"));
  CHECK(cell(sheet, 0, "cumtime_ns") == milliseconds(90));
  CHECK(cell(sheet, 1, "ncalls") == text("6/2"));
  CHECK(cell(sheet, 1, "cumtime_ns") == milliseconds(60));
  CHECK(cell(sheet, 2, "relation") == text("function"));
  CHECK(says(test::sheet_of("calls", python.subject(), {.focus = "nothing"}), "No function that was called matches"));
  const Sheet module = test::sheet_of("calls", python.subject(), {.focus = "<module>"});
  CHECK(cell(module, 0, "place") == text("<- (nobody while calls were counted)"));
  CHECK(test::sheet_of("calls", python.subject(), {.focus = "train\\.py"}).rows.size() == 5);
}
