#include "report/show/view.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/memory_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"

using namespace prof;
using show::Sheet;
using show::SortKey;
using test::cell;
using test::kUnknown;
using test::number;
using test::says;
using test::text;

TEST_CASE("every sheet of a view of memory has the columns of the first", "[show]") {
  for (const log::HeapMode mode : {log::HeapMode::Exact, log::HeapMode::Sampled, log::HeapMode::Off}) {
    const test::MemoryRun memory(mode);
    for (const bool everything : {false, true}) {
      const show::ViewOptions options{.everything = everything};
      for (const auto& sheets :
           {test::sheets_of("heap", memory.subject(), options), test::sheets_of("leaks", memory.subject(), options),
            test::sheets_of("sizes", memory.subject(), options), test::sheets_of("memory", memory.subject(), options),
            std::vector{test::sheet_of("timeline", memory.subject(), options)},
            test::sheets_of("lines", memory.subject(), {.sort = SortKey::Peak, .everything = everything})}) {
        for (const Sheet& sheet : sheets) {
          INFO(sheet.title);
          REQUIRE(sheet.columns.size() == sheets.front().columns.size());
          for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
            CHECK(sheet.columns[i].key == sheets.front().columns[i].key);
          }
          for (const show::Row& row : sheet.rows) CHECK(row.cells.size() == sheet.columns.size());
        }
      }
    }
  }
}

TEST_CASE("heap: what only exact mode knows", "[show]") {
  const test::MemoryRun exact;
  const Sheet sites =
      test::sheets_of("heap", exact.subject(), {.sort = SortKey::Temporary, .everything = true}).front();
  CHECK(cell(sites, 0, "temporary") == number(60));
  CHECK(cell(sites, 0, "short_lived") == number(65));
  CHECK(cell(sites, 0, "largest_bytes") == number(100));
  CHECK(says(sites, "60 temporary allocations (44.8 %)"));
  CHECK(says(sites, "3 frees were of blocks that are not in the books"));

  const test::MemoryRun sampled(log::HeapMode::Sampled);
  const Sheet estimates =
      test::sheets_of("heap", sampled.subject(), {.sort = SortKey::Temporary, .everything = true}).front();
  CHECK(cell(estimates, 0, "temporary") == kUnknown);
  CHECK(says(estimates, "Only exact mode tells that"));
}

TEST_CASE("heap: Python's own allocators have a table of their own", "[show]") {
  const test::MemoryRun memory;
  const auto sheets = test::sheets_of("heap", memory.subject(), {});
  REQUIRE(sheets.size() == 2);
  CHECK(cell(sheets[1], 0, "kind") == text("python"));
  CHECK(cell(sheets[1], 0, "live_bytes") == number(4096));
}
