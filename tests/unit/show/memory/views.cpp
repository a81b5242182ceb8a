#include <algorithm>

#include "report/fold/memory/resident.hpp"
#include "report/formats/csv.hpp"
#include "report/formats/json.hpp"
#include "report/show/run/timeline_plot.hpp"
#include "report/show/table.hpp"
#include "report/show/view.hpp"
#include "report/summary/summary.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/memory_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"

#include <nlohmann/json.hpp>

using namespace prof;
using nlohmann::json;
using show::Sheet;
using show::SortKey;
using test::cell;
using test::number;
using test::says;
using test::text;

namespace {

const show::Cell kUnknown;

json document(const test::MemoryRun& memory, show::ViewOptions options = {}) {
  options.everything = true;
  return json::parse(formats::json(memory.subject(), options));
}

}  // namespace

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

TEST_CASE("leaks: the growing line first, then what was live at the end", "[show]") {
  const test::MemoryRun memory;
  const auto sheets = test::sheets_of("leaks", memory.subject(), {.steps = 50});
  REQUIRE(sheets.size() == 2);
  REQUIRE(sheets[0].rows.size() == 1);
  CHECK(cell(sheets[0], 0, "site") == text("main (leak.py:10)"));
  CHECK(cell(sheets[0], 0, "rate_bytes_per_s") == number(1'500'000));
  CHECK(cell(sheets[0], 0, "step_bytes") == number(15 * 150'000 / 50));
  CHECK(cell(sheets[1], 0, "live_bytes") == number(10'000'000));
  CHECK(cell(test::sheets_of("leaks", memory.subject(), {})[0], 0, "step_bytes") == kUnknown);
  CHECK(test::sheets_of("heap", memory.subject(), {.sort = SortKey::Leaks})[0].title == sheets[0].title);

  const test::MemoryRun sampled(log::HeapMode::Sampled);
  CHECK(test::sheets_of("leaks", sampled.subject(), {}).size() == 2);
}

TEST_CASE("lines by memory: own figures and those of all that a line called", "[show]") {
  const test::MemoryRun memory;
  const Sheet lines = test::sheets_of("lines", memory.subject(), {.sort = SortKey::Live}).front();
  CHECK(cell(lines, 0, "place") == text("leak.py:20"));
  CHECK(cell(lines, 0, "live_bytes") == number(10'000'000));
  const auto ten = std::find_if(lines.rows.begin(), lines.rows.end(), [&](const show::Row& row) {
    return cell(lines, static_cast<std::size_t>(&row - lines.rows.data()), "place") == text("leak.py:10");
  });
  REQUIRE(ten != lines.rows.end());
  const auto at = static_cast<std::size_t>(ten - lines.rows.begin());
  CHECK(cell(lines, at, "live_bytes") == number(800'000));
  CHECK(cell(lines, at, "cum_live_bytes") == number(2'400'000));
  CHECK(cell(lines, at, "allocations") == number(16));
  const Sheet busy = test::sheets_of("lines", memory.subject(), {.sort = SortKey::Temporary}).front();
  CHECK(cell(busy, 0, "place") == text("leak.py:40"));
  CHECK(cell(busy, 0, "temporary") == number(60));
  CHECK(cell(busy, 0, "python_live_bytes") == number(4096));
  CHECK(cell(busy, 0, "copied_bytes") == number(2000));
}

TEST_CASE("trees of any measure, and why one has no figures", "[show]") {
  const test::MemoryRun memory;
  const Sheet growth = test::sheet_of("tree", memory.subject(), {.measure = model::Measure::Growth});
  REQUIRE_FALSE(growth.rows.empty());
  CHECK(cell(growth, 0, "name") == text("main"));
  CHECK(cell(growth, 0, "cum_growth_bytes") == number(1'200'000));
  CHECK(test::sheet_of("tree", memory.subject(), {.measure = model::Measure::Copied, .bottom_up = true}).rows.size() ==
        2);

  test::MemoryRun sampled(log::HeapMode::Sampled);
  const Sheet none = test::sheet_of("tree", sampled.subject(), {.measure = model::Measure::Temporary});
  CHECK(none.rows.empty());
  CHECK(says(none, "Only exact mode tells that"));
  sampled.run.processes[0].copies_counted = false;
  CHECK(
      says(test::sheet_of("tree", sampled.subject(), {.measure = model::Measure::Copied}), "Copies were not counted"));
  sampled.selection.threads = {"1000"};
  CHECK(says(test::sheet_of("tree", sampled.subject(), {.measure = model::Measure::Peak}), "cannot be told by thread"));
}

TEST_CASE("memory: the parts and the residual add up to RSS", "[show]") {
  const test::MemoryRun memory;
  const fold::Resident resident = fold::explain(*memory.run.processes[0].memory_high);
  std::int64_t sum = 0;
  std::int64_t residual = 0, overhead = 0;
  for (const fold::ResidentRow& row : resident.rows) {
    if (!fold::is_share(row.kind)) sum += row.rss;
    if (row.kind == fold::ResidentKind::Residual) residual = row.rss;
    if (row.kind == fold::ResidentKind::Overhead) overhead = row.rss;
  }
  CHECK(sum == resident.rss);
  CHECK(residual == 1 << 20);
  CHECK(overhead == 2 << 20);
  CHECK(resident.not_resident == 0);
  CHECK(fold::explain(*memory.run.processes[0].memory_last).not_resident == 2 << 20);

  const auto sheets = test::sheets_of("memory", memory.subject(), {});
  REQUIRE(sheets.size() == 2);  // at the highest RSS and at the last look
  CHECK(says(sheets[0], "PSS 15.0 MiB, USS 10.0 MiB"));
  CHECK(says(sheets[1], "2.00 MiB more of live blocks were not resident"));
  CHECK(cell(sheets[0], sheets[0].rows.size() - 1, "part") == text("= RSS"));
}

TEST_CASE("memory: hostile figures stay in range", "[show]") {
  model::ResidentMemory memory;
  memory.rss = memory.pss = UINT64_MAX;
  memory.heap_live = INT64_MAX;
  for (auto& part : memory.parts) part = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
  const fold::Resident resident = fold::explain(memory);
  CHECK(resident.rss == INT64_MAX);
  CHECK(resident.rows.back().rss == 0);
}

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
  CHECK(std::all_of(plot.begin(), plot.end(), [](char c) { return c > 0; }));
  terminal.unicode = true;
  CHECK(show::timeline_plot(memory.subject(), {}, terminal).find("\u2588") != std::string::npos);

  const Sheet points = test::sheet_of("timeline", memory.subject(), {.everything = true});
  REQUIRE(points.rows.size() == 2);
  CHECK(cell(points, 1, "time_ns") == number(900'000'000));
  CHECK(cell(points, 1, "heap_high_bytes") == number(17 << 20));
  CHECK(cell(points, 1, "rss_bytes") == number(20 << 20));

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

TEST_CASE("JSON: memory in exact mode", "[formats]") {
  const json report = document(test::MemoryRun(), {.steps = 10});
  const json& heap = report.at("heap");
  CHECK(heap.at("mode") == "exact");
  CHECK(heap.at("temporary") == 60);
  CHECK(heap.at("short_lived") == 65);
  CHECK(heap.at("foreign_frees") == 3);
  CHECK(heap.at("largest_bytes") == 625'000);
  CHECK(heap.at("peak_s").get<double>() == Approx(1.5));
  CHECK(heap.at("sizes").size() == log::kSizeClasses);
  CHECK(heap.at("sizes").at(3).at("allocations") == 70);
  CHECK(heap.at("sizes").back().at("largest_bytes").is_null());
  CHECK(heap.at("sites").at(0).at("live_bytes") == 10'000'000);
  CHECK(report.at("python_heap").at("live_bytes") == 4096);
  CHECK(report.at("copied").at("calls") == 20);
  CHECK(report.at("copied").at("bytes") == 2500);
  CHECK(report.at("copied").at("sites").at(0).at("bytes") == 2000);
  CHECK(report.at("copies").is_null());  // those of GPUs

  REQUIRE(report.at("leaks").size() == 1);
  const json& leak = report.at("leaks").at(0);
  CHECK(leak.at("site").at("file") == "/app/leak.py");
  CHECK(leak.at("site").at("line") == 10);
  CHECK(leak.at("rate_bytes_per_s").get<double>() == Approx(1.5e6));
  CHECK(leak.at("step_bytes").get<double>() == Approx(225'000));
  CHECK(leak.at("values").size() == 16);

  CHECK(report.at("timeline").at(0).at("points").at(1).at("rss_high_bytes") == 21 << 20);
  const json& high = report.at("memory").at(0).at("high");
  CHECK(high.at("parts").at("allocator").at("rss_bytes") == 14 << 20);
  CHECK(high.at("parts").at("allocator_overhead").at("rss_bytes") == 2 << 20);
  CHECK(high.at("parts").at("residual").at("rss_bytes") == 1 << 20);
  const auto& lines = report.at("lines");
  const auto busy = std::find_if(lines.begin(), lines.end(), [](const json& line) { return line.at("line") == 40; });
  REQUIRE(busy != lines.end());
  CHECK(busy->at("alloc_bytes") == 7000);
  CHECK(busy->at("copy_bytes") == 2000);
  CHECK(busy->at("temporary") == 60);
}

TEST_CASE("JSON: what was not measured of memory is null", "[formats]") {
  test::MemoryRun sampled(log::HeapMode::Sampled);
  model::Process& process = sampled.run.processes[0];
  process.copies_counted = process.python_counted = false;
  process.series.clear();
  process.memory_last = process.memory_high = std::nullopt;
  process.tree.heap_growth = {};
  const json report = document(sampled);
  for (const char* field : {"temporary", "short_lived", "moved_bytes", "foreign_frees", "sizes"}) {
    INFO(field);
    CHECK(report.at("heap").at(field).is_null());
  }
  CHECK(report.at("heap").at("sites").at(0).at("temporary").is_null());
  for (const char* field : {"python_heap", "copied", "leaks", "timeline", "memory"}) {
    INFO(field);
    CHECK(report.at(field).is_null());
  }
  CHECK(report.at("lines").at(0).at("copy_bytes").is_null());
}
