#include "report/show/view.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/memory_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"

using namespace prof;
using show::SortKey;
using test::cell;
using test::kUnknown;
using test::number;
using test::text;

TEST_CASE("leaks: the growing line first, then what was live at the end", "[show]") {
  const test::MemoryRun memory;
  const auto sheets = test::sheets_of("leaks", memory.subject(), {.steps = 50});
  REQUIRE(sheets.size() == 2);
  REQUIRE(sheets[0].rows.size() == 1);
  CHECK(cell(sheets[0], 0, "site") == text("main (leak.py:10)"));
  CHECK(cell(sheets[0], 0, "rate_bytes_per_s") == number(1'500'000));
  CHECK(cell(sheets[0], 0, "step_bytes") == number(15 * 150'000 / 50));
  CHECK(cell(sheets[1], 0, "live_bytes") == number(10'000'000));
  CHECK(cell(test::sheets_of("leaks", memory.subject(), {})[0], 0, "step_bytes") == kUnknown);
  CHECK(test::sheets_of("heap", memory.subject(), {.sort = SortKey::Leaks})[0].title == sheets[0].title);

  const test::MemoryRun sampled(log::HeapMode::Sampled);
  CHECK(test::sheets_of("leaks", sampled.subject(), {}).size() == 2);
}
