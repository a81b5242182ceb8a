#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/held_locks_run.hpp"
#include "tests/unit/support/locks_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"

using namespace prof;
using test::cell;
using test::HeldRun;
using test::LockRun;

namespace {

constexpr std::int64_t kMs = 1'000'000;
std::string text(const show::Cell& cell) { return std::get<std::string>(cell); }

}  // namespace

TEST_CASE("locks view: who waited, who held it, who made it", "[show]") {
  LockRun run;
  const auto sheets = test::sheets_of("locks", run.subject(), {});
  REQUIRE(sheets.size() == 2);
  CHECK(text(cell(sheets[0], 0, "longest_holder")) == "keeper (tid 1001)");
  CHECK(text(cell(sheets[0], 0, "longest_waiter")).find("libwork.so+0x100") == 0);
  CHECK(text(cell(sheets[0], 1, "name")).find("2 made by make (pool.py") == 0);
  CHECK(sheets[0].captions.front().find("2,000 acquisitions of libc's locks did not have to wait") != std::string::npos);
  for (const show::Sheet& sheet : sheets) {
    for (const show::Row& row : sheet.rows) CHECK(row.cells.size() == sheet.columns.size());
  }
  const auto by_wait = test::sheets_of("locks", run.subject(), {.sort = show::SortKey::Average, .limit = 1});
  CHECK(by_wait[0].rows.size() == 1);
  CHECK(cell(by_wait[0], 0, "avg_ns") == show::Cell(10 * kMs));

  const auto all = test::sheets_of("locks", run.subject(), {.everything = true});
  REQUIRE(all.size() == 1);
  CHECK(text(cell(all[0], 1, "created")).find("make") == 0);
  CHECK(cell(all[0], 0, "created") == show::Cell());
}

namespace {

std::string words(const show::Cell& cell) { return std::get<std::string>(cell); }

}  // namespace

TEST_CASE("locks view: where their holder was, and on whose stack they lie", "[show]") {
  const HeldRun run;
  const auto sheet = test::sheets_of("locks", run.subject(), {}).front();
  CHECK(words(cell(sheet, 0, "name")) == "0x7ffd00001000 (stack) of keeper (tid 1001)");
  CHECK(words(cell(sheet, 0, "longest_holder")) == "keeper (tid 1001) in flush (pool.py:30)");
  CHECK(words(cell(sheet, 1, "longest_holder")) == "keeper (tid 1001) in save (pool.py:40)");
  CHECK(words(cell(sheet, 2, "longest_holder")) == "keeper (tid 1001)");

  const auto all = test::sheets_of("locks", run.subject(), {.everything = true}).front();
  CHECK(words(cell(all, 0, "name")) == "0x7ffd00001000 (stack)");
  CHECK(words(cell(all, 0, "longest_holder")) == "keeper (tid 1001)");
  CHECK(words(cell(all, 0, "held_in")).find("flush") == 0);
  CHECK(cell(all, 2, "held_in") == show::Cell());
}
