#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/python_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"

using namespace prof;
using show::Sheet;
using test::cell;
using test::milliseconds;
using test::number;
using test::says;
using test::text;

TEST_CASE("line hits: line_profiler's table, lines without hits included") {
  const test::PythonRun python;
  const std::vector<Sheet> sheets = test::sheets_of("line-hits", python.subject(), {});
  REQUIRE(sheets.size() == 1);
  const Sheet& sheet = sheets.front();
  CHECK(sheet.title == "Trainer.fit (train.py:4)");
  REQUIRE(sheet.rows.size() == 3);
  CHECK(cell(sheet, 0, "hits") == text(""));
  CHECK(cell(sheet, 0, "source") == text("    def fit(self):"));
  CHECK(cell(sheet, 1, "hits") == number(8));
  CHECK(cell(sheet, 1, "time_ns") == milliseconds(6));
  CHECK(cell(sheet, 1, "time_per_hit_ns") == number(750'000));
  CHECK(std::get<double>(cell(sheet, 2, "time_share")) == Approx(0.75));
  const Sheet csv = test::sheets_of("line-hits", python.subject(), {.everything = true}).front();
  CHECK(csv.rows.size() == 2);
  CHECK(cell(csv, 0, "function") == text("Trainer.fit"));
  CHECK(says(test::sheets_of("line-hits", python.subject(), {.focus = "nothing"}).front(), "is left"));
}
