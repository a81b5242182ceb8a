#include "report/show/table.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/sheet_cells.hpp"
#include "tests/unit/support/show_run.hpp"

using namespace prof;
using test::says;

TEST_CASE("views of exact counts say how to get them when there are none") {
  const test::SmallRun native;
  CHECK(says(test::sheet_of("calls", native.subject(), {}), "prof run --python calls"));
  CHECK(says(test::sheets_of("line-hits", native.subject(), {}).front(), "prof run --python lines"));
  CHECK(says(test::sheets_of("imports", native.subject(), {}).front(), "No import was recorded"));
  CHECK(show::table(test::sheet_of("calls", native.subject(), {}), show::Terminal{}).find("ncalls") ==
        std::string::npos);
}
