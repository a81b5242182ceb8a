#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/gpu_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"

using namespace prof;
using show::Sheet;
using test::cell;
using test::GpuRun;
using test::says;
using test::text;

TEST_CASE("idle: by cause and by place", "[show]") {
  GpuRun gpu;
  const Sheet shared = test::sheet_of("idle", gpu.subject(), {});
  CHECK(says(shared, "GPU 0 (Test GPU): at work for 2 processes, 4.90 ms added up in 20.0 ms"));
  gpu.selection.pids = {400};
  const Sheet idle = test::sheet_of("idle", gpu.subject(), {});
  REQUIRE(idle.rows.size() == 1);
  CHECK(cell(idle, 0, "site") == text("train (train.py:10)"));
  CHECK(says(idle, "GPU 0 (Test GPU): idle 6.00 ms (60.0 %) of 10.0 ms"));
  CHECK(says(idle, "waiting for data or another thread 60.0 %"));
}
