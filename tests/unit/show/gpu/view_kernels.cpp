#include "report/show/view.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/gpu_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"

using namespace prof;
using show::Sheet;
using show::SortKey;
using test::cell;
using test::GpuRun;
using test::number;
using test::says;
using test::text;

TEST_CASE("kernels: a table by kernel, and for people one by stream", "[show]") {
  const GpuRun gpu;
  const auto sheets = test::sheets_of("kernels", gpu.subject(), {});
  REQUIRE(sheets.size() == 2);
  CHECK(cell(sheets[0], 0, "kernel") == text("ampere_h16816gemm"));
  CHECK(cell(sheets[0], 0, "launched_by") == text("train (train.py:20)"));
  CHECK(cell(sheets[0], 1, "name") == text("add(float, float*)"));
  CHECK(cell(sheets[0], 1, "avg_ns") == number(300'000));
  CHECK(cell(sheets[1], 0, "stream") == text("7"));
  CHECK(test::sheets_of("kernels", gpu.subject(), {.everything = true}).size() == 1);
  const Sheet limited = test::sheets_of("kernels", gpu.subject(), {.sort = SortKey::Name, .limit = 1}).front();
  REQUIRE(limited.rows.size() == 1);
  CHECK(cell(limited, 0, "name") == text("add(float, float*)"));
  CHECK(says(limited, "1 of 4 kernels shown"));
}

TEST_CASE("copies: time and size by kind", "[show]") {
  const GpuRun gpu;
  const Sheet copies = test::sheet_of("copies", gpu.subject(), {});
  REQUIRE(copies.rows.size() == 1);
  CHECK(cell(copies, 0, "kind") == text("HtoD"));
  CHECK(cell(copies, 0, "memory") == text("pinned"));
  CHECK(cell(copies, 0, "avg_ns") == number(20'000));  // of the four with a time
  CHECK(cell(copies, 0, "untimed") == number(1));
  CHECK(cell(copies, 0, "bytes_per_s") == show::Cell(5000.0 / 80'000 * 1e9));
}
