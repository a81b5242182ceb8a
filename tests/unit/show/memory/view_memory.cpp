#include "report/fold/memory/resident.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/memory_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"

using namespace prof;
using test::cell;
using test::says;
using test::text;

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

// Catches: parts of a moment long before the peak, as if they were those of the peak.
TEST_CASE("memory: a peak that no look saw is said", "[show]") {
  test::MemoryRun memory;
  model::Process& process = memory.run.processes[0];
  process.peak_rss_bytes = process.memory_high->rss;
  CHECK_FALSE(says(test::sheets_of("memory", memory.subject(), {})[0], "between two looks"));
  process.peak_rss_bytes = 2 * process.memory_high->rss;
  CHECK(says(test::sheets_of("memory", memory.subject(), {})[0], "The most was 42.0 MiB, between two looks"));
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
