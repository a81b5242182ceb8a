#include "report/show/run/timeline_plot.hpp"
#include "report/show/table.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/gpu_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"

using namespace prof;
using show::Sheet;
using test::cell;
using test::GpuRun;
using test::kUnknown;
using test::number;

TEST_CASE("timeline: GPUs below the memory of their process", "[show]") {
  const GpuRun gpu;
  show::Terminal terminal;
  terminal.width = 80;
  const std::string plot = show::timeline_plot(gpu.subject(), {}, terminal);
  CHECK(plot.find("GPU 0 (Test GPU): busy 60 % on average, 80 % at most;") != std::string::npos);
  CHECK(plot.find("energy 0.1 kJ") != std::string::npos);
  CHECK(plot.find("     busy |") != std::string::npos);
  for (std::size_t begin = 0, end = 0; (end = plot.find('\n', begin)) != std::string::npos; begin = end + 1) {
    CHECK(end - begin <= 80);
  }
  const Sheet points = test::sheet_of("timeline", gpu.subject(), {.everything = true});
  REQUIRE(points.rows.size() == 4);
  CHECK(cell(points, 0, "device") == kUnknown);
  CHECK(cell(points, 3, "device") == number(0));
  CHECK(cell(points, 3, "gpu_busy_percent") == number(80));
  CHECK(cell(points, 3, "gpu_temperature_c") == kUnknown);
  CHECK(cell(points, 3, "rss_bytes") == kUnknown);
}
