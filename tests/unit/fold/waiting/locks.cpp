#include <string>

#include "report/fold/waiting/locks.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/held_locks_run.hpp"
#include "tests/unit/support/locks_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"

using namespace prof;
using test::cell;
using test::HeldRun;
using test::LockRun;

namespace {

constexpr std::int64_t kMs = 1'000'000;

}  // namespace

TEST_CASE("locks: variables over processes, others by process", "[fold]") {
  LockRun run;
  const auto rows = fold::locks(run.run, run.symbols, run.selection);
  REQUIRE(rows.size() == 3);
  const fold::LockRow& variable = rows[0];
  CHECK(variable.variable);
  CHECK(variable.name.find("libwork.so") != std::string::npos);
  CHECK(variable.processes == 2);
  CHECK(variable.use.waits == 6);
  CHECK(variable.use.ns == 60 * kMs);
  CHECK(variable.use.max_ns == 40 * kMs);
  CHECK(run.run.processes[variable.process].pid == 101);  // where the longest wait was
  CHECK(variable.use.longest_holder == 1001);
  REQUIRE(variable.waiter != fold::kNobody);
  CHECK(run.symbols.function(run.symbols.location(variable.waiter).function).name == "libwork.so+0x100");
  CHECK(variable.created == fold::kNobody);

  for (const std::size_t i : {1, 2}) {
    CHECK_FALSE(rows[i].variable);
    CHECK(rows[i].name.find("0x7fffee001230") != std::string::npos);
    CHECK(rows[i].locks == 2);      // that make() made
    CHECK(rows[i].use.waits == 3);  // of both threads
    CHECK(rows[i].use.failed == 1);
    CHECK(rows[i].use.longest_holder == 1001);  // of the longer wait
    CHECK(run.symbols.function(run.symbols.location(rows[i].created).function).name == "make");
    CHECK(run.symbols.function(run.symbols.location(rows[i].waiter).function).name == "worker");
  }
  CHECK(rows[1].process != rows[2].process);
  CHECK(fold::uncontended(run.run, run.selection) == 2'000);

  run.selection.threads = {"keeper"};
  const auto one = fold::locks(run.run, run.symbols, run.selection);
  REQUIRE(one.size() == 2);
  CHECK(one[0].use.waits == 1);
  CHECK(fold::uncontended(run.run, run.selection) == 0);
}

TEST_CASE("places that wait for locks", "[fold]") {
  LockRun run;
  const auto places = fold::lock_places(run.run, run.symbols, run.selection);
  REQUIRE(places.size() == 2);
  CHECK(run.symbols.function(run.symbols.location(places[0].location).function).name == "libwork.so+0x100");
  CHECK(places[0].waits.ns == 60 * kMs);
  CHECK(places[0].waits.calls() == 6);
  CHECK(places[1].waits.ns == 14 * kMs);
}

TEST_CASE("locks: where their holder was, and on whose stack they lie", "[fold]") {
  const HeldRun run;
  const auto rows = fold::locks(run.run, run.symbols, run.selection);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].name == "0x7ffd00001000 (stack)");
  CHECK(rows[0].use.waits == 2);
  CHECK(rows[0].use.stack_of == 1001);
  CHECK(run.name_of(rows[0].holder) == "flush");
  CHECK(rows[1].locks == 2);
  CHECK(run.name_of(rows[1].holder) == "save");  // of the longer wait
  CHECK(rows[1].use.stack_of == 0);
  CHECK(rows[2].variable);
  CHECK(rows[2].name.find("stack") == std::string::npos);
  CHECK(rows[2].holder == fold::kNobody);
}
