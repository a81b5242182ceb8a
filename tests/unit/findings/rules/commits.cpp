// Statements of SQLite that are committed one by one.
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::kMs;
using test::kUs;

namespace {

// So many journals, in as many databases, of so many writes each; line 7 commits, for so long, and another line makes
// the journals.
std::vector<findings::Finding> committed(std::uint64_t journals, std::uint64_t writes_each, std::uint64_t ms,
                                         std::uint64_t databases = 1, std::uint32_t statement = 0) {
  FindingsRun run;
  const std::uint32_t root = run.log.node(0, run.log.special(log::SpecialFrame::Files));
  for (std::uint64_t i = 0; i < databases; ++i) {
    const std::string name = "/data/stock" + std::to_string(i) + ".db";
    log::FileWords journal{}, database{};
    journal.opens = journals / databases;
    database.opens = 1;
    database.writes = journals * writes_each / databases;
    run.log.record(log::RecordClass::File,
                   run.log.node(root, run.log.named(log::NameKind::File, name + "-journal", "file")), journal);
    run.log.record(log::RecordClass::File, run.log.node(root, run.log.named(log::NameKind::File, name, "file")),
                   database);
  }
  run.wait(run.train(7), "unlink", "file", journals, journals * kUs);
  run.log.cpu(run.train(7), ms / 10, ms * kMs);
  if (statement > 0) {
    run.wait(run.train(statement), "open", "file", journals, journals * kUs);
    run.log.cpu(run.train(statement), 40, 400 * kMs);
  }
  run.log.cpu(run.train(31), 40, 400 * kMs);
  return run.look("sqlite-commits");
}

}  // namespace

// Catches transactions of many rows, and many databases of one transaction each.
TEST_CASE("findings: statements of SQLite that are committed one by one", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = committed(2'000, 2, 800 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.95 * 0.4 / static_cast<double>(half)).margin(0.01));
    CHECK(found.front().places.front().line == 7);
  }
  const auto both = committed(2'000, 2, 800, 1, 8);
  REQUIRE(both.size() == 1);
  CHECK(both.front().saves == Approx(0.95 * 0.6).margin(0.01));
  CHECK(test::lines_of(both.front()) == std::vector<std::int64_t>{7, 8});
  CHECK(committed(2'000, 30, 800).empty());
  CHECK(committed(2'000, 2, 800, 1'000).empty());
  CHECK(committed(100, 2, 800).empty());
  CHECK(committed(2'000, 2, 50).empty());
}
