// Which thread counts as the program's, how its lines are called, and what its time is worth where it waited for a
// processor.
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::lines_of;

namespace {

// A main thread that waits for others at line 5, and that many others that wait for the network at line 31.
void main_and_others(FindingsRun& run, std::uint32_t others, std::uint64_t main_waits_ms, std::uint64_t main_cpu_ms) {
  run.connects();
  run.wait(run.train(5), "pthread_clockjoin_np", "lock", 1, main_waits_ms * kMs);
  if (main_cpu_ms > 0) run.log.cpu(run.train(6), main_cpu_ms / 10, main_cpu_ms * kMs);
  for (std::uint32_t slot = 1; slot <= others; ++slot) {
    run.log.thread(slot);
    run.log.cpu(run.train(30), 10, 100 * kMs, slot);
    run.wait(run.train(31), "recv", "network", 20, 1'200 * kMs, slot);
  }
}

}  // namespace

TEST_CASE("findings: the thread for which the main thread waits is the program's", "[findings]") {
  FindingsRun run;
  main_and_others(run, 1, 1'900, 20);
  const auto found = run.look("network-waits");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.6));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{31});
}

TEST_CASE("findings: the main thread is the program's where it is at work itself, or many others are", "[findings]") {
  FindingsRun run;
  SECTION("computes") { main_and_others(run, 1, 1'650, 300); }
  SECTION("does not wait") { main_and_others(run, 1, 1'000, 20); }
  SECTION("many others") { main_and_others(run, 5, 1'900, 20); }
  CHECK(run.look("network-waits").empty());
}

TEST_CASE("findings: how the line is called that is to be changed", "[findings]") {
  FindingsRun run;
  const auto main = run.line(0, run.code("main", "/app/app.py"), 40);
  const auto report = run.line(main, run.code("report", "/app/app.py"), 38);
  // The same function calls itself, and a library stands between: neither is of use.
  const auto again = run.line(report, run.code("apply", "/v/site-packages/pandas/core/apply.py"), 9);
  const std::uint32_t row = run.code("row", "/app/rows.py");
  run.log.cpu(run.line(run.line(again, row, 20), row, 21), 100, 1'000 * kMs);
  run.log.cpu(run.line(run.train(3), row, 21), 10, 100 * kMs);  // less often
  const auto found = run.look("python-loop");
  REQUIRE(found.size() == 1);
  const findings::Place& place = found.front().places.front();
  CHECK(place == findings::Place{"/app/rows.py", 21, "row"});
  CHECK(place.callers == std::vector<findings::Place>{{"/app/app.py", 38, "report"}, {"/app/app.py", 40, "main"}});
}

namespace {

// 1.2 s of CPU time, half of it in what a rule is about.
void half_and_half(FindingsRun& run, const char* function, const char* file) {
  run.log.cpu(run.line(run.train(40), run.code(function, file), 5), 60, 600 * kMs);
  run.log.cpu(run.train(41), 60, 600 * kMs);
}

}  // namespace

TEST_CASE("findings: what a thread waited for a processor is part of what its work took", "[findings]") {
  FindingsRun run;
  half_and_half(run, "DataFrame.iterrows", "/v/site-packages/pandas/core/frame.py");
  run.queue(600);
  const auto found = run.look("row-by-row");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.45));
  CHECK(has(found.front().seen, "900 ms (45.0 % of the run's time)"));
}

TEST_CASE("findings: CPU time is told with the waiting for a processor where that is much", "[findings]") {
  FindingsRun run;
  half_and_half(run, "deepcopy", "/usr/lib/python3.11/copy.py");
  run.queue(600);
  const auto found = run.look("deepcopy");
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().seen, "600 ms of CPU time (900 ms with the waiting for a processor), 50.0 % of all"));
  CHECK(found.front().saves == Approx(0.45));

  FindingsRun little;
  half_and_half(little, "deepcopy", "/usr/lib/python3.11/copy.py");
  little.queue(100);
  REQUIRE(little.look("deepcopy").size() == 1);
  CHECK(little.look("deepcopy").front().seen == "600 ms of CPU time, 50.0 % of all.");
  CHECK(little.look("deepcopy").front().saves == Approx(0.325));
}

TEST_CASE("findings: of CPU time of several threads at once, a share of the wall time can be saved", "[findings]") {
  FindingsRun run;
  for (std::uint32_t slot = 0; slot < 4; ++slot) {
    run.log.thread(slot);
    const auto line = run.line(run.train(40), run.code("deepcopy", "/usr/lib/python3.11/copy.py"), 5);
    run.log.cpu(slot == 0 ? line : run.train(41), 150, 1'500 * kMs, slot);
  }
  const auto found = run.look("deepcopy");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.25));  // 1.5 of 6 s, which took two
}
