#include <string>

#include "report/fold/training/loading_data.hpp"
#include "report/formats/csv.hpp"
#include "report/show/table.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/loading_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"

using namespace prof;
using test::cell;
using test::LoadingRun;

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1'000 * kMs;

}  // namespace

TEST_CASE("data loading: one table and what to try", "[show]") {
  const LoadingRun run({.workers = {{.cpu = 1'000, .file = 8'500, .idle = 300}, {.cpu = 900, .file = 9'000}}});
  const auto sheets = test::sheets_of("loading", run.subject(), {});
  REQUIRE(sheets.size() == 1);
  const show::Sheet& sheet = sheets.front();
  CHECK(sheet.title == "Data loading: DataLoader of pid 100");
  REQUIRE(sheet.rows.size() == 5);  // the loop, its waiting, two workers and their sum
  CHECK(cell(sheet, 1, "wall_ns") == show::Cell(8'000 * kMs));
  CHECK(std::get<double>(cell(sheet, 2, "file_share")) == Approx(0.85));
  CHECK(std::get<double>(cell(sheet, 2, "idle_share")) == Approx(0.03));
  REQUIRE_FALSE(sheet.notes.empty());
  CHECK(sheet.notes[0].find(
            "Verdict: slow disk: the loop waited 8.00 s (79.8 % of its time) for its data; its 2 workers") == 0);
  for (const show::Row& row : sheet.rows) CHECK(row.cells.size() == sheet.columns.size());
  CHECK_FALSE(show::table(sheet, show::Terminal{}).empty());

  const auto all = test::sheets_of("loading", run.subject(), {.everything = true});
  REQUIRE(all.front().rows.size() == 4);
  CHECK(cell(all.front(), 2, "who") == show::Cell(std::string("worker")));
  CHECK(cell(all.front(), 2, "idle_ns") == show::Cell(300 * kMs));
  CHECK(formats::csv(all.front()).find("slow disk") != std::string::npos);
}
