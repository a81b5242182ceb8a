// Programs that switch the stack under a running interpreter.
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/interpreters.hpp"
#include "tests/support/python_stacks.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

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
          CHECK(report.json().at("loss").at("warnings").empty());
          // 36 greenlets have 40 rounds each, with a block of 3,000 bytes in every one.
          if (std::string(heap) == "exact") CHECK(report.site_sum("deeper", "allocated_bytes") > 0.9 * 36 * 40 * 3000);
        }
      }
    }
  }
  if (!any) skip("no interpreter here has greenlets");
}
