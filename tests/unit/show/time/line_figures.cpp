#include <algorithm>

#include "report/show/view.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/memory_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"

using namespace prof;
using show::Sheet;
using show::SortKey;
using test::cell;
using test::number;
using test::text;

TEST_CASE("lines by memory: own figures and those of all that a line called", "[show]") {
  const test::MemoryRun memory;
  const Sheet lines = test::sheets_of("lines", memory.subject(), {.sort = SortKey::Live}).front();
  CHECK(cell(lines, 0, "place") == text("leak.py:20"));
  CHECK(cell(lines, 0, "live_bytes") == number(10'000'000));
  const auto ten = std::find_if(lines.rows.begin(), lines.rows.end(), [&](const show::Row& row) {
    return cell(lines, static_cast<std::size_t>(&row - lines.rows.data()), "place") == text("leak.py:10");
  });
  REQUIRE(ten != lines.rows.end());
  const auto at = static_cast<std::size_t>(ten - lines.rows.begin());
  CHECK(cell(lines, at, "live_bytes") == number(800'000));
  CHECK(cell(lines, at, "cum_live_bytes") == number(2'400'000));
  CHECK(cell(lines, at, "allocations") == number(16));
  const Sheet busy = test::sheets_of("lines", memory.subject(), {.sort = SortKey::Temporary}).front();
  CHECK(cell(busy, 0, "place") == text("leak.py:40"));
  CHECK(cell(busy, 0, "temporary") == number(60));
  CHECK(cell(busy, 0, "python_live_bytes") == number(4096));
  CHECK(cell(busy, 0, "copied_bytes") == number(2000));
}
