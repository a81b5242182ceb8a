// Programs that switch the stack under a running interpreter.
#include <cmath>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/interpreters.hpp"
#include "tests/support/python_stacks.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

double figure(const Report& report, const std::string& task, const char* name) {
  const Json& tasks = report.section("tasks");
  double sum = 0;
  if (tasks.is_null()) return sum;
  for (const Json& row : tasks) {
    if (row.at("name") == task) sum += row.at(name).get<double>();
  }
  return sum;
}

bool has_greenlets(const Interpreter& interpreter) {
  return Command({interpreter.program.string(), "-c", "import greenlet"}).run().ok();
}

}  // namespace

// Catches agents that read the frames of the thread state while the stack is another greenlet's already: the
// interpreter's objects on it were overwritten, and what they seem to point at is anything. And agents that put return
// addresses in their log which are none.
TEST_CASE("greenlets that switch at all depths do what they do alone, and leave a log that is whole") {
  bool any = false;
  for (const Interpreter& interpreter : all_interpreters()) {
    if (!has_greenlets(interpreter)) continue;
    any = true;
    for (const char* heap : {"sampled", "exact"}) {
      for (const char* hz : {"100", "5000"}) {
        DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version << ", " << heap << ", " << hz) {
          TempDir temp;
          const BothWays both = run_both_ways(
              python_victim(interpreter, "greenlets.py", {"12", "40"}).set("PROF_HEAP", heap).set("PROF_CPU", hz),
              temp / "run");
          REQUIRE(both.alone.ok());
          CHECK_FALSE(both.alone.out.empty());
          check_same(both);
          const Report report = Report::of(temp / "run");
          CHECK(report.section("loss").at("warnings").empty());
          // 36 greenlets have 40 rounds each, with a block of 3,000 bytes in every one.
          if (std::string(heap) == "exact") CHECK(report.site_sum("deeper", "allocated_bytes") > 0.9 * 36 * 40 * 3000);
        }
      }
    }
  }
  if (!any) skip("no interpreter here has greenlets");
}

// Catches agents that take a greenlet which has run nothing yet for one that is being switched: each of them maps
// memory for its frames.
TEST_CASE("stacks of greenlets that begin are not counted as lost") {
  bool any = false;
  for (const Interpreter& interpreter : all_interpreters()) {
    if (!has_greenlets(interpreter)) continue;
    any = true;
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      TempDir temp;
      const Outcome run = python_victim(interpreter, "switching.py", {"greenlet", "1.0"}).profiled(temp / "run").run();
      INFO(run);
      REQUIRE(run.exit_code == 3);
      const Report report = Report::of(temp / "run");
      CHECK(report.section("loss").at("reasons").at("python_rejected") < 1000);  // 3,000 and more else
    }
  }
  if (!any) skip("no interpreter here has greenlets");
}

// Catches agents that tell the greenlet that the thread ran before.
TEST_CASE("greenlets that burn 60/30/10 % come out within 2 points, by the functions with which they began") {
  bool any = false;
  for (const Interpreter& interpreter : all_interpreters()) {
    if (!has_greenlets(interpreter)) continue;
    any = true;
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      TempDir temp;
      const Outcome run = python_victim(interpreter, "greenlet_shares.py", {"greenlet", "1.0"})
                              .profiled(temp / "run")
                              .set("PROF_CPU", "2000")
                              .set("PROF_HEAP", "exact")
                              .run();
      INFO(run);
      REQUIRE(run.ok());
      const Report report = Report::of(temp / "run");
      double told = 0, spent = 0;
      for (const char* name : {"heavy", "middle", "light"}) {
        told += figure(report, name, "cpu_s");
        spent += static_cast<double>(run.fact(std::string("us_") + name)) * 1e-6;
      }
      CHECK(told > 0.93 * spent);
      for (const char* name : {"heavy", "middle", "light"}) {
        INFO(name << ": " << figure(report, name, "cpu_s") << " s of " << told << " s");
        CHECK(std::abs(figure(report, name, "cpu_s") / told -
                       static_cast<double>(run.fact(std::string("us_") + name)) * 1e-6 / spent) < 0.02);
        // 20 blocks of 3,000 bytes each, and the room for stacks that are put aside.
        CHECK(figure(report, name, "allocated_bytes") >= 20 * 3000.0);
        CHECK(figure(report, name, "allocated_bytes") < 60 * 3000.0);
      }
      // The main greenlet is none.
      CHECK(figure(report, "<module>", "cpu_s") == 0);
    }
  }
  if (!any) skip("no interpreter here has greenlets");
}
