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
using test::says;
using test::text;

TEST_CASE("imports: an indented tree, or a flat list when sorted") {
  const test::PythonRun python;
  const Sheet tree = test::sheets_of("imports", python.subject(), {}).front();
  REQUIRE(tree.rows.size() == 5);
  CHECK(cell(tree, 0, "tree") == text("json"));
  CHECK(cell(tree, 0, "self_ns") == milliseconds(12));
  CHECK(cell(tree, 0, "total_ns") == milliseconds(20));
  CHECK(cell(tree, 0, "start_ns") == milliseconds(10));
  CHECK(cell(tree, 2, "tree") == text("    json.scanner"));
  CHECK(cell(tree, 3, "tree") == text("  json.encoder (failed)"));
  CHECK(says(tree, "5 imports that loaded a module, in 1 process; % is of 30.0 ms"));

  const Sheet pruned = test::sheets_of("imports", python.subject(), {.min_percent = 12}).front();
  CHECK(pruned.rows.size() == 3);
  CHECK(says(pruned, "2 imports below 12 % of all left out"));
  const Sheet flat =
      test::sheets_of("imports", python.subject(), {.sort = SortKey::Tottime, .min_percent = 12}).front();
  REQUIRE(flat.rows.size() == 5);
  CHECK(cell(flat, 1, "tree") == text("enum"));
  CHECK(test::sheets_of("imports", python.subject(), {.everything = true}).size() == 1);
  CHECK(test::sheets_of("imports", python.subject(), {}).size() == 2);
}
