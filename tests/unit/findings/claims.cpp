// What findings claim of the same lines.
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::add_children;
using test::below;
using test::FindingsRun;
using test::has;
using test::kMs;

// Catches savings that add up to more than there is.
TEST_CASE("findings: the same second is claimed once", "[findings]") {
  FindingsRun run;
  const auto loop = below(run, run.train(3), "BaseEventLoop._run_once", "/usr/lib/python3.11/asyncio/base_events.py");
  const auto handle = below(run, loop, "Handle._run", "/usr/lib/python3.11/asyncio/events.py");
  const auto line = run.line(handle, run.code("train", "/app/train.py"), 20);
  run.wait(below(run, line, "run", "/usr/lib/python3.11/subprocess.py"), "poll", "poll", 40, 1200 * kMs);
  run.log.cpu(run.train(31), 80, 800 * kMs);
  add_children(run, 12);
  const findings::Outcome all = run.look();
  REQUIRE(all.findings.size() == 1);
  CHECK(all.findings.front().rule == "event-loop-blocked");
  CHECK(has(all.findings.front().seen, "All of it is this: Processes are started again and again."));
}

TEST_CASE("findings: two things at one line that each have their own time", "[findings]") {
  FindingsRun run;
  run.log.cpu(below(run, run.train(30), "deepcopy", "/usr/lib/python3.11/copy.py"), 60, 600 * kMs);
  run.log.cpu(below(run, run.train(30), "Logger.info", "/usr/lib/python3.11/logging/__init__.py"), 60, 600 * kMs);
  CHECK(run.look("deepcopy").size() == 1);
  CHECK(run.look("logging").size() == 1);
}
