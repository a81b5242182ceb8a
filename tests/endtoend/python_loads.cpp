// Interpreters under 10,000 ticks a second in all the ways in which programs keep them busy.
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/interpreters.hpp"
#include "tests/support/python_stacks.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

void check_frames_on(const Report& report, const Interpreter& interpreter) {
  long interpreters = 0;
  for (const Json& process : report.section("processes")) {
    if (process.at("python").is_null()) continue;
    INFO(process.at("argv").dump());
    ++interpreters;
    CHECK(process.at("python") == interpreter.version);
    // A process that ended before its first Python frame was seen has none to show.
    if (process.at("samples").get<long>() > 1000) CHECK(process.at("python_frames").at("on") == true);
  }
  CHECK(interpreters > 0);
}

// What a load prints does not depend on how long it runs: the bare run can be short.
void check_load(const Interpreter& interpreter, const std::string& load, const std::string& seconds) {
  TempDir temp;
  const Outcome alone = python_victim(interpreter, "loads.py", {load, "0.02"}).run();
  const Outcome with =
      python_victim(interpreter, "loads.py", {load, seconds}).profiled(temp / "run").set("PROF_CPU", "10000").run();
  INFO("alone: " << alone);
  INFO("under the agent: " << with);
  REQUIRE(alone.exit_code == 3);
  REQUIRE(with.exit_code == alone.exit_code);
  CHECK(with.out == alone.out);
  CHECK(with.err == alone.err);

  const Report report = Report::of(temp / "run");
  check_frames_on(report, interpreter);
  const Placement placed = placement(report);
  INFO("groups " << placed.groups << ", unplaced " << placed.unplaced << ", rejected " << placed.rejected << " in "
                 << placed.samples << " samples");
  CHECK(placed.groups > placed.samples);
  CHECK(1000 * placed.unplaced <= placed.groups);
  // Unwinding through half-made frames is given up, but hardly ever.
  CHECK(1000 * placed.rejected <= placed.samples + 1000);
}

void check_load_everywhere(const std::string& load, const std::string& seconds = "0.3") {
  REQUIRE_FALSE(all_interpreters().empty());
  for (const Interpreter& interpreter : all_interpreters()) {
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      check_load(interpreter, load, seconds);
    }
  }
}

}  // namespace

// Each catches walkers that trust pointers of a frame which is being made or torn down: they crash, or give up often.
TEST_CASE("Python under dense ticks: calls, methods, exceptions, recursion through C") {
  check_load_everywhere("pure");
}
TEST_CASE("Python under dense ticks: threads that work and threads that come and go") {
  check_load_everywhere("threads");
}
TEST_CASE("Python under dense ticks: generators") { check_load_everywhere("generators"); }
TEST_CASE("Python under dense ticks: coroutines and their loop") { check_load_everywhere("asyncio"); }
TEST_CASE("Python under dense ticks: code that is made and thrown away") { check_load_everywhere("exec"); }
TEST_CASE("Python under dense ticks: forks, pools of processes, subprocesses") { check_load_everywhere("fork", "0.2"); }
// Catches a walk that takes the first thread state of a thread for the one that runs.
TEST_CASE("Python under dense ticks: interpreters beside the first one") { check_load_everywhere("interpreters"); }
