// What findings claim of the same lines.
#include <algorithm>
#include <fstream>

#include "report/findings/claims.hpp"
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

// Catches a loop of Python told with the time of what another finding says of it.
TEST_CASE("findings: a general finding leaves out what others tell", "[findings]") {
  const std::uint64_t rest_ms = GENERATE(150, 600);
  std::vector<findings::Finding> found(2);
  found[0].rule = "python-loop";
  found[0].general = true;
  found[0].places = {{"/app/train.py", 3, "train"}, {"/app/train.py", 20, "most_urgent"}};
  found[0].saves_ns = static_cast<std::int64_t>((600 + rest_ms) * kMs);
  found[0].saves = static_cast<double>(600 + rest_ms) / 2'000;
  found[0].error_ns = 100;
  found[1].rule = "sorted-again";
  found[1].places = {{"/app/train.py", 20, "most_urgent"}};
  found[1].places.front().callers = {{"/app/train.py", 3, "train"}};
  found[1].saves_ns = 600 * static_cast<std::int64_t>(kMs);
  found[1].saves = 0.3;
  findings::take_off_specials(found);
  // Too little is left to speak of.
  REQUIRE(found.size() == (rest_ms == 150 ? 1 : 2));
  CHECK(found.back().rule == "sorted-again");
  CHECK(found.back().saves == Approx(0.3));
  if (rest_ms == 150) return;
  CHECK(found.front().saves == Approx(0.3));
  CHECK(found.front().saves_ns == 600 * static_cast<std::int64_t>(kMs));
  CHECK(found.front().error_ns == 50);
  CHECK(has(found.front().seen, "600 ms of it is what another finding tells of."));
}

// Catches findings at other lines, of symptoms and of memory taken off.
TEST_CASE("findings: a general finding keeps what others do not tell", "[findings]") {
  std::vector<findings::Finding> found(2);
  found[0].rule = GENERATE("python-loop", "page-faults");
  found[0].general = true;
  found[0].places = {{"/app/train.py", 3, "train"}};
  found[0].saves_ns = 1'000;
  found[0].saves = 0.5;
  found[1].places = {{"/app/train.py", 20, "most_urgent"}};
  found[1].places.front().callers = {{"/app/train.py", 3, "train"}};
  found[1].saves_ns = 900;
  found[1].saves = 0.45;
  SECTION("a line that it does not name") {}
  SECTION("a symptom") {
    found[1].symptom = true;
    found[0].places.push_back(found[1].places.front());
  }
  SECTION("memory") {
    found[0].places.push_back(found[1].places.front());
    found[1].saves_ns = 0;
    found[1].saves = 0;
    found[1].saves_bytes = 900;
  }
  findings::take_off_specials(found);
  REQUIRE(found.size() == 2);
  CHECK(found.front().saves_ns == 1'000);
}

// Catches a cache that never hits left out where something else tells of the time: what it costs is what it should have
// kept.
TEST_CASE("findings: what goes by behind a cache", "[findings]") {
  const std::string decorator = GENERATE("@functools.lru_cache(maxsize=8)", "@traced");
  FindingsRun run;
  const std::string file = run.directory() / "rates.py";
  std::ofstream(file) << "import functools\n" << decorator << "\ndef rate(currency):\n    return deepcopy(currency)\n";
  const auto line = run.line(0, run.code("rate", file), 4);
  run.log.cpu(below(run, line, "deepcopy", "/usr/lib/python3.11/copy.py"), 60, 600 * kMs);
  run.log.cpu(run.train(31), 60, 600 * kMs);
  const findings::Outcome all = run.look();
  const auto found = std::find_if(all.findings.begin(), all.findings.end(),
                                  [](const findings::Finding& one) { return one.rule == std::string("deepcopy"); });
  REQUIRE(found != all.findings.end());
  CHECK(has(found->seen, " It is behind the cache of line 2") == decorator.starts_with("@functools"));
}
