#include "report/show/table.hpp"
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

TEST_CASE("flops: what the peak was taken to be", "[show]") {
  const GpuRun gpu;
  const Sheet flops = test::sheet_of("flops", gpu.subject(), {});
  REQUIRE(flops.rows.size() == 1);
  CHECK(cell(flops, 0, "precision") == text("FP16"));
  CHECK(cell(flops, 0, "site") == text("train (train.py:20)"));
  CHECK(says(flops, "FP16 311.9 TFLOP/s, from compute capability 8.0, 108 multiprocessors"));
  CHECK(show::table(flops, show::Terminal{}).find("4.000") != std::string::npos);
}
