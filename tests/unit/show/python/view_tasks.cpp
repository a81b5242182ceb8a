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
