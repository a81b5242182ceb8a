#include <algorithm>

#include "report/formats/csv.hpp"
#include "report/show/table.hpp"
#include "report/show/view.hpp"
#include "report/show/words.hpp"
#include "report/summary/summary.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/sheet_cells.hpp"
#include "tests/unit/show_run.hpp"

using namespace prof;
using show::Sheet;
using show::SortKey;
using test::cell;
using test::number;
using test::says;
using test::text;

TEST_CASE("every row of every view has a cell for each column") {
  const test::SmallRun small;
  for (const bool everything : {false, true}) {
    const show::ViewOptions options{.everything = everything};
    std::vector<Sheet> sheets = heap_view(small.subject(), options);
    sheets.push_back(functions_view(small.subject(), options));
    sheets.push_back(callers_view(small.subject(), options));
    sheets.push_back(tree_view(small.subject(), options));
    sheets.push_back(processes_view(small.subject(), options));
    sheets.push_back(threads_view(small.subject(), options));
    sheets.push_back(libraries_view(small.subject(), options));
    sheets.push_back(show::summary_sheet(small.subject()));
    for (const Sheet& sheet : sheets) {
      INFO(sheet.title);
      CHECK_FALSE(sheet.rows.empty());
      for (const show::Row& row : sheet.rows) CHECK(row.cells.size() == sheet.columns.size());
    }
  }
}

TEST_CASE("functions: order, limit and what the captions state") {
  const test::SmallRun small;
  const Sheet by_self = functions_view(small.subject(), {});
  CHECK(cell(by_self, 0, "function") == text("work+0x300"));
  CHECK(cell(by_self, 0, "tottime_ns") == number(30'000'000));
  CHECK(cell(by_self, 0, "calls") == show::Cell());
  CHECK(says(by_self, "sampled every 10.0 ms (6 samples)"));
  CHECK(says(by_self, "Lost: 7 "));

  const Sheet by_total = functions_view(small.subject(), {.sort = SortKey::Cumtime});
  CHECK(cell(by_total, 0, "function") == text("work+0x100"));
  CHECK(cell(by_total, 0, "cumtime_ns") == number(60'000'000));

  const Sheet by_name = functions_view(small.subject(), {.sort = SortKey::Name, .limit = 1});
  CHECK(by_name.rows.size() == 1);
  CHECK(cell(by_name, 0, "function") == text("work+0x100"));
  CHECK(says(by_name, "1 of 3 functions shown"));
}

TEST_CASE("callers: the function stands between its callers and its callees") {
  const test::SmallRun small;
  const Sheet sheet = callers_view(small.subject(), {.function = "0x200$"});
  REQUIRE(sheet.rows.size() == 3);
  CHECK(cell(sheet, 0, "relation") == text("caller"));
  CHECK(cell(sheet, 0, "other") == text("work+0x100"));
  CHECK(cell(sheet, 1, "relation") == text("self"));
  CHECK(cell(sheet, 1, "cumtime_ns") == number(40'000'000));
  CHECK(cell(sheet, 1, "tottime_ns") == number(10'000'000));
  CHECK(cell(sheet, 2, "relation") == text("callee"));
  CHECK(cell(sheet, 2, "cumtime_ns") == number(30'000'000));
  const Sheet none = callers_view(small.subject(), {.function = "no such thing"});
  CHECK(none.rows.empty());
  CHECK(says(none, "No function that was seen matches 'no such thing'"));
}

TEST_CASE("tree: a path that does not branch needs no indent, and pruning is stated") {
  const test::SmallRun small;
  const Sheet sheet = tree_view(small.subject(), {});
  REQUIRE(sheet.rows.size() == 3);
  CHECK(cell(sheet, 0, "name") == text("work+0x100"));
  CHECK(cell(sheet, 1, "name") == text("  work+0x200"));
  CHECK(cell(sheet, 2, "name") == text("    work+0x300"));

  const Sheet heap = tree_view(small.subject(), {.measure = model::Measure::Live});
  REQUIRE(heap.rows.size() == 2);
  CHECK(cell(heap, 0, "cum_live_bytes") == text(""));  // leads to the next line
  CHECK(cell(heap, 1, "name") == text("work+0x200"));
  CHECK(cell(heap, 1, "cum_live_bytes") == number(4096));

  const Sheet pruned = tree_view(small.subject(), {.min_percent = 60});
  CHECK(pruned.rows.size() == 2);
  CHECK(says(pruned, "1 branch below 60"));
}

TEST_CASE("processes: children stand below their parents, with how they ended") {
  const test::SmallRun small;
  const Sheet sheet = processes_view(small.subject(), {});
  REQUIRE(sheet.rows.size() == 2);
  CHECK(cell(sheet, 0, "command") == text("work --fast"));
  CHECK(cell(sheet, 0, "end") == text("exit 3"));
  CHECK(cell(sheet, 1, "parent_pid") == number(100));
  CHECK(cell(sheet, 1, "end") == text("killed by SIGKILL"));
  CHECK(cell(sheet, 1, "peak_rss_bytes") == show::Cell());
  CHECK(std::get<std::string>(cell(sheet, 1, "command")).rfind("  ", 0) == 0);
  CHECK(cell(processes_view(small.subject(), {.wide = true}), 0, "command") == text("./work --fast"));
}

TEST_CASE("processes: of very many only those that matter, in a table without a limit") {
  test::SmallRun small;
  const model::Process light = small.run.processes.at(1);
  for (int i = 0; i < 50; ++i) {
    small.run.processes.push_back(light);
    small.run.processes.back().cpu_ns = 1;
  }
  small.symbols = symbols::symbolize(small.run);
  const Sheet folded = processes_view(small.subject(), {});
  CHECK(folded.rows.size() == 20);
  CHECK(says(folded, "20 of 52 process images shown"));
  CHECK(cell(folded, 0, "command") == text("work --fast"));
  CHECK(processes_view(small.subject(), {.limit = 0}).rows.size() == 52);
  CHECK(processes_view(small.subject(), {.everything = true}).rows.size() == 52);
}

TEST_CASE("the summary says what ran, what was lost and what to do next") {
  const test::SmallRun small;
  const std::string summary = show::summary(small.subject(), {}, show::Terminal{});
  CHECK(summary.rfind("./work --fast\n", 0) == 0);
  CHECK(summary.find("CPU 60.0 ms") != std::string::npos);
  CHECK(summary.find("1 allocation of 4.00 KiB") != std::string::npos);
  CHECK(summary.find("Lost       7 ") != std::string::npos);
  CHECK(summary.find("--view functions") != std::string::npos);
}

TEST_CASE("no view lets hostile names through to a terminal") {
  const test::SmallRun small("/nowhere/\x1b[31m\xff\r");
  std::string all = show::summary(small.subject(), {}, show::Terminal{});
  for (const bool wide : {false, true}) {
    const show::ViewOptions options{.wide = wide};
    std::vector<Sheet> sheets = heap_view(small.subject(), options);
    sheets.push_back(functions_view(small.subject(), options));
    sheets.push_back(callers_view(small.subject(), options));
    sheets.push_back(tree_view(small.subject(), options));
    sheets.push_back(libraries_view(small.subject(), options));
    for (const Sheet& sheet : sheets) all += show::table(sheet, show::Terminal{}) + formats::csv(sheet);
  }
  CHECK(all.find('\x1b') == std::string::npos);
  CHECK(all.find('\xff') == std::string::npos);
  CHECK(all.find("\\x1b[31m\\xff\\x0d") != std::string::npos);
}

TEST_CASE("a command line can be copied into a shell") {
  CHECK(show::shell_word("plain/path-1") == "plain/path-1");
  CHECK(show::shell_word("a b") == "'a b'");
  CHECK(show::shell_word("it's") == "'it'\\''s'");
  CHECK(show::shell_word("") == "''");
}
