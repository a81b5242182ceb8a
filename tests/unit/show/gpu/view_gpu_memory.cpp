#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/gpu_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"

using namespace prof;
using test::cell;
using test::GpuRun;
using test::kUnknown;
using test::number;
using test::text;

TEST_CASE("GPU memory: by GPU, segments and tensors", "[show]") {
  const GpuRun gpu;
  const auto sheets = test::sheets_of("gpu-memory", gpu.subject(), {});
  REQUIRE(sheets.size() == 3);
  CHECK(cell(sheets[0], 0, "others_peak_bytes") == number(7 << 20));
  CHECK(cell(sheets[0], 1, "used_peak_bytes") == kUnknown);
  CHECK(cell(sheets[1], 0, "function") == text("cudaMalloc"));
  CHECK(cell(sheets[1], 0, "live_bytes") == number(2 << 20));
  CHECK(cell(sheets[2], 0, "kind") == text("tensor"));
  CHECK(cell(sheets[2], 0, "place") == text("train.py:50"));
}
