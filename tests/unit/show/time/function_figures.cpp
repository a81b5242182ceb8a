#include "report/show/view.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/gpu_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"
#include "tests/unit/support/show_run.hpp"
#include "tests/unit/support/wait_run.hpp"

using namespace prof;
using show::Sheet;
using show::SortKey;
using test::cell;
using test::GpuRun;
using test::in_table;
using test::milliseconds;
using test::number;
using test::text;
using test::WaitRun;
using test::whole;

TEST_CASE("functions and lines have columns of GPU time", "[show]") {
  const GpuRun gpu;
  const Sheet functions = test::sheet_of("functions", gpu.subject(), {.sort = SortKey::Gpu, .everything = true});
  CHECK(cell(functions, 0, "function") == text("train"));
  CHECK(cell(functions, 0, "gpu_ns") == number(0));
  CHECK(cell(functions, 0, "cum_gpu_ns") == number(3'330'000));
  const Sheet lines = test::sheets_of("lines", gpu.subject(), {.sort = SortKey::Gpu}).front();
  CHECK(cell(lines, 0, "place") == text("train.py:20"));
  CHECK(cell(lines, 0, "gpu_ns") == number(2'000'000));
  CHECK(cell(lines, 1, "gpu_ns") == number(1'250'000));
}

TEST_CASE("blocked time stands beside CPU time where anything was blocked", "[show]") {
  const WaitRun wait;
  const Sheet functions = whole(test::sheet_of("functions", wait.subject(), {}));
  CHECK(in_table(functions, "blocked_ns"));
  CHECK(cell(functions, "function", "read", "blocked_ns") == milliseconds(400));
  CHECK(cell(functions, "function", "train", "cumblocked_ns") == milliseconds(1'150));
  CHECK(cell(functions, "function", "train", "tottime_ns") == milliseconds(500));
  const auto lines = test::sheets_of("lines", wait.subject(), {.sort = show::SortKey::Blocked});
  CHECK(in_table(whole(lines[0]), "blocked_ns"));
  CHECK(cell(lines[0], 0, "blocked_ns") == milliseconds(700));
  CHECK(in_table(whole(test::sheet_of("source", wait.subject(), {.focus = "load.py"})), "cumblocked_ns"));
  const Sheet callers = whole(test::sheet_of("callers", wait.subject(), {.function = "^read$"}));
  CHECK(cell(callers, "relation", "caller", "cumblocked_ns") == milliseconds(400));
  const test::SmallRun quiet;
  CHECK_FALSE(in_table(test::sheet_of("functions", quiet.subject(), {}), "blocked_ns"));
  CHECK_FALSE(in_table(test::sheets_of("lines", quiet.subject(), {})[0], "blocked_ns"));
}
