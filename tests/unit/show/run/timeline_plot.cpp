#include <algorithm>

#include "report/show/run/timeline_plot.hpp"
#include "report/show/table.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/memory_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"

using namespace prof;
using show::Sheet;
using test::cell;
using test::number;

TEST_CASE("timeline: a plot that keeps to its width, in ASCII unless more can be shown", "[show]") {
  const test::MemoryRun memory;
  show::Terminal terminal;
  terminal.width = 70;
  const std::string plot = show::timeline_plot(memory.subject(), {}, terminal);
  CHECK(plot.find('#') != std::string::npos);
  CHECK(plot.find("RSS 21.0 MiB, heap 17.0 MiB, mapped 512 KiB") != std::string::npos);
  std::size_t begin = 0;
  for (std::size_t end = plot.find('\n'); end != std::string::npos; begin = end + 1, end = plot.find('\n', begin)) {
    CHECK(end - begin <= 70);
  }
  CHECK(std::count(plot.begin(), plot.end(), ':') > 5);  // files, on top
  CHECK(std::all_of(plot.begin(), plot.end(), [](char c) { return c > 0; }));
  terminal.unicode = true;
  CHECK(show::timeline_plot(memory.subject(), {}, terminal).find("\u2588") != std::string::npos);

  const Sheet points = test::sheet_of("timeline", memory.subject(), {.everything = true});
  REQUIRE(points.rows.size() == 2);
  CHECK(cell(points, 1, "time_ns") == number(900'000'000));
  CHECK(cell(points, 1, "heap_high_bytes") == number(17 << 20));
  CHECK(cell(points, 1, "rss_bytes") == number(20 << 20));
  CHECK(cell(points, 1, "rss_file_bytes") == number(2 << 20));

  test::MemoryRun none;
  none.selection.pids = {1};
  CHECK(show::timeline_plot(none.subject(), {}, terminal).find("No process was followed") == 0);
}

TEST_CASE("timeline: points at the ends of time draw something", "[show]") {
  test::MemoryRun memory;
  auto& series = memory.run.processes[0].series;
  series[0].begin_monotonic_ns = 0;
  series[1].end_monotonic_ns = UINT64_MAX;
  series[1].rss_high = UINT64_MAX;
  CHECK_FALSE(show::timeline_plot(memory.subject(), {}, show::Terminal{}).empty());
  series.resize(1);
  series[0].begin_monotonic_ns = series[0].end_monotonic_ns = UINT64_MAX;
  CHECK_FALSE(show::timeline_plot(memory.subject(), {}, show::Terminal{}).empty());
}
