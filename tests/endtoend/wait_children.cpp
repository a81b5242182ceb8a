// Waits for children, compared with a program's own account of them.
#include <cerrno>

#include "tests/support/catch.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/wait_totals.hpp"

using namespace prof;
using namespace prof::test;

namespace {

WaitTotals waited(const std::string& way) {
  const Command command = Command::victim("wait_children", {way});
  const Outcome alone = command.run();
  INFO(alone);
  REQUIRE(alone.ok());
  TempDir temp;
  const Outcome run = check_survives(command, temp / "run");
  const WaitTotals totals = wait_totals(log_of(temp / "run", run.pid));
  check_ledger(run, totals);
  return totals;
}

double seconds(const log::WaitTotalWords& words) { return static_cast<double>(words.total_ns) * 1e-9; }

}  // namespace

// Catches waits that are charged to the child, and polls for its end that are not counted.
TEST_CASE("the life of a child is seen in its parent's waitpid, exactly") {
  const WaitTotals totals = waited("waitpid");
  const log::WaitTotalWords& words = totals.at("child/waitpid");
  CHECK(words.calls == 3);
  CHECK(words.last_errno == ECHILD);
  CHECK(seconds(words) > 0.29);
}

TEST_CASE("all functions that wait for children are told by their names") {
  const WaitTotals totals = waited("others");
  for (const char* name : {"child/wait", "child/wait3", "child/wait4", "child/waitid"}) {
    INFO(name);
    REQUIRE(totals.count(name) == 1);
    CHECK(seconds(totals.at(name)) > 0.1);
  }
}

// Catches those who hook waitpid alone: system and pclose wait inside of libc.
TEST_CASE("shells are waited for in system and pclose") {
  const WaitTotals totals = waited("shell");
  CHECK(seconds(totals.at("child/system")) > 0.29);
  CHECK(seconds(totals.at("child/pclose")) > 0.29);
  CHECK(totals.at("child/system").calls == 1);
  CHECK(totals.at("child/popen").calls == 1);
}

TEST_CASE("a spawned program is waited for, and its start is seen") {
  const WaitTotals totals = waited("spawn");
  CHECK(totals.at("child/posix_spawnp").calls == 1);
  CHECK(seconds(totals.at("child/waitpid")) > 0.29);
}
