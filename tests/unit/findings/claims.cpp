// What findings claim of the same lines.
#include <algorithm>

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

// Catches the waiting for a lock told beside what is done at the same line while others hold it.
TEST_CASE("findings: waits for a lock at the line of their cause", "[findings]") {
  const std::uint64_t work_ms = GENERATE(300, 1'200);
  FindingsRun run;
  run.log.thread(1);
  const auto line = run.train(30);
  run.log.cpu(below(run, line, "deepcopy", "/usr/lib/python3.11/copy.py"), work_ms / 10, work_ms * kMs);
  run.wait(line, "pthread_mutex_lock", "lock", 400, 1'000 * kMs);
  const findings::Outcome all = run.look();
  const auto count = [&](const char* rule) {
    return std::count_if(all.findings.begin(), all.findings.end(), [&](const auto& one) { return one.rule == rule; });
  };
  // A small part of what is waited for is no cause of it.
  REQUIRE(count("deepcopy") == 1);
  CHECK(count("lock-contention") == (work_ms == 300 ? 1 : 0));
  if (work_ms == 1'200) CHECK(has(all.findings.front().seen, "Threads wait for locks that others hold"));
}
