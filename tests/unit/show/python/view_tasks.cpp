#include <string>
#include <vector>

#include "report/summary/summary.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"
#include "tests/unit/support/show_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::text;

namespace {

// Tasks "computes" with `cpu_ms`, "waits" with 500 ms and "looks" with 20 ms in blocking calls; 100 ms outside of
// tasks.
void run_tasks(FindingsRun& run, std::uint64_t cpu_ms) {
  const auto task = [&](const char* name) {
    return run.log.node(run.train(3), run.log.named(log::NameKind::Task, name, "work"));
  };
  run.log.cpu(run.train(4), 10, 100 * kMs);
  run.log.cpu(task("computes"), 1, cpu_ms * kMs);
  run.wait(task("looks"), "read", "file", 1, 20 * kMs);
  run.wait(task("waits"), "recv", "network", 1, 500 * kMs);
}

}  // namespace

TEST_CASE("tasks: those that keep the loop longest come first, whether they compute or wait", "[show][python]") {
  FindingsRun run;
  run_tasks(run, 100);
  const auto names = [&](std::optional<show::SortKey> key) {
    const show::Sheet sheet = test::sheet_of("tasks", run.subject(), {.sort = key});
    std::vector<show::Cell> out;
    for (std::size_t column = 0; column < sheet.columns.size(); ++column) {
      if (sheet.columns[column].key != "name") continue;
      for (const show::Row& row : sheet.rows) out.push_back(row.cells[column]);
    }
    return out;
  };
  CHECK(names({}) == std::vector{text("waits"), text("computes"), text("looks")});
  CHECK(names(show::SortKey::Tottime) == std::vector{text("computes"), text("waits"), text("looks")});
}

TEST_CASE("summary: the tasks are what to look at where they have most of the time", "[show][python]") {
  const auto offered = [](std::uint64_t cpu_ms) {
    FindingsRun run;
    run_tasks(run, cpu_ms);
    const std::string summary = show::summary(run.subject(), {}, {});
    const std::string next = summary.substr(summary.rfind("\nNext "));
    return has(next, " --view tasks\n");
  };
  CHECK(offered(200));
  CHECK_FALSE(offered(20));
}

// Catches a loop that waits for its main task shown as if no task had that time.
TEST_CASE("tasks: what the loop waited for its main task is told of that", "[show][python]") {
  constexpr const char *kLoop = "/usr/lib/python3.11/asyncio/base_events.py",
                       *kSelect = "/usr/lib/python3.11/selectors.py";
  const auto run_main = [&](FindingsRun& run, std::uint64_t ms) {
    const auto once = test::below(run, run.train(3), "BaseEventLoop._run_once", kLoop);
    const auto main = run.code("fetch_all", "/app/train.py");
    const auto task = [&](const char* name, const char* coroutine) {
      return run.log.node(once, run.log.named(log::NameKind::Task, name, coroutine));
    };
    run.log.cpu(run.line(task("main", "fetch_all"), main, 10), 1, 10 * kMs);
    run.log.cpu(run.line(task("beside", "other"), run.code("other", "/app/train.py"), 40), 1, 10 * kMs);
    run.log.cpu(run.train(4), 10, 100 * kMs);
    const auto select = test::below(run, once, "EpollSelector.select", kSelect);
    run.wait(run.line(run.line(select, main, 12), run.code("fetch", "/app/train.py"), 20), "epoll_wait", "poll", 50,
             ms * kMs);
    run.wait(run.log.node(select, run.log.named(log::NameKind::Wait, "epoll_wait", "poll")), "epoll_wait", "poll", 1,
             30 * kMs);
  };
  FindingsRun run;
  run_main(run, 1'200);
  const show::Sheet sheet = test::sheet_of("tasks", run.subject(), {});
  const auto cells = [&](const char* key) {
    std::vector<show::Cell> out;
    for (std::size_t column = 0; column < sheet.columns.size(); ++column) {
      if (sheet.columns[column].key != key) continue;
      for (const show::Row& row : sheet.rows) out.push_back(row.cells[column]);
    }
    return out;
  };
  CHECK(cells("name") == std::vector{text("main"), text("beside")});
  CHECK(cells("awaited_ns") == std::vector{test::milliseconds(1'200), test::milliseconds(0)});
  const auto offered = [&](std::uint64_t ms) {
    FindingsRun again;
    run_main(again, ms);
    const std::string summary = show::summary(again.subject(), {}, {});
    return has(summary.substr(summary.rfind("\nNext ")), " --view tasks\n");
  };
  CHECK(offered(1'200));
  CHECK_FALSE(offered(300));
}

// Catches a main task that only waits, and so stands in no sample, without a row: the whole time of the run is then
// nobody's.
TEST_CASE("tasks: a main task of which nothing was seen but waiting has a row", "[show][python]") {
  FindingsRun run;
  const auto once =
      test::below(run, run.train(3), "BaseEventLoop._run_once", "/usr/lib/python3.11/asyncio/base_events.py");
  run.log.cpu(run.train(4), 10, 100 * kMs);
  const auto select = test::below(run, once, "EpollSelector.select", "/usr/lib/python3.11/selectors.py");
  run.wait(run.line(select, run.code("fetch_all", "/app/train.py"), 12), "epoll_wait", "poll", 50, 700 * kMs);
  const show::Sheet sheet = test::sheet_of("tasks", run.subject(), {});
  CHECK(test::cell(sheet, "name", "fetch_all", "awaited_ns") == test::milliseconds(700));
  CHECK(test::cell(sheet, "name", "fetch_all", "coroutine") == text("fetch_all"));
}
