// What lines of the program wait for.
#include <fstream>
#include <tuple>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::lines_of;

TEST_CASE("findings: a line that waits, by what it waits for", "[findings]") {
  const auto [rule, call, what] = GENERATE(table<const char*, const char*, const char*>({
      {"network-waits", "recv", "network"},
      {"network-waits", "poll", "poll"},
      {"sleeping", "clock_nanosleep", "sleep"},
      {"waiting-for-children", "wait4", "child"},
      {"waiting-for-files", "read", "file"},
      {"waiting-at-pipes", "read", "pipe"},
      {"synced-writes", "fsync", "file"},
  }));
  INFO(rule << ' ' << call);
  for (const std::uint64_t ms : {1200, 600}) {  // half of the fault is half of the amount
    FindingsRun run;
    run.log.header.cpu_ns = 100 * kMs;
    run.connects();
    run.wait(run.train(12), call, what, 40, ms * kMs);
    const auto found = run.look(rule);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(static_cast<double>(ms) / 2000));
    CHECK(has(found.front().seen, "40 calls"));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{12});
    CHECK(run.look().findings.size() == 1);  // said once
  }
  FindingsRun little;
  little.log.header.cpu_ns = 100 * kMs;
  little.connects();
  little.wait(little.train(12), call, what, 40, 150 * kMs);
  CHECK(little.look(rule).empty());
}

TEST_CASE("findings: an idle program sleeps, and one child that works is no fault", "[findings]") {
  FindingsRun idle;
  idle.log.header.cpu_ns = 5 * kMs;
  idle.wait(idle.train(12), "clock_nanosleep", "sleep", 40, 1900 * kMs);
  CHECK(idle.look().findings.empty());
  FindingsRun child;
  child.wait(child.train(12), "wait4", "child", 1, 1900 * kMs);
  CHECK(child.look().findings.empty());
}

// Catches waits of the whole run that are told as a share of its steps.
TEST_CASE("findings: a wait before the training is no part of its steps", "[findings]") {
  FindingsRun run;
  run.log.header.cpu_ns = 300 * kMs;
  run.steps(10, 20);
  run.connects();
  run.wait(run.train(12), "recv", "network", 40, 600 * kMs);
  const auto found = run.look("network-waits");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.3));  // of two seconds, not of 200 ms
}

TEST_CASE("findings: sleeping while others work is not all to be saved", "[findings]") {
  const auto sleeps = [](std::uint64_t others_ms) {
    FindingsRun run;
    run.log.header.cpu_ns = (100 + others_ms) * kMs;
    run.log.thread(1);
    run.wait(run.train(12), "clock_nanosleep", "sleep", 40, 1600 * kMs);
    if (others_ms > 0) run.log.cpu(run.train(30), others_ms / 10, others_ms * kMs, 1);
    return run.look("sleeping");
  };
  REQUIRE(sleeps(0).size() == 1);
  CHECK(sleeps(0).front().saves == Approx(0.8));
  REQUIRE(sleeps(1000).size() == 1);
  CHECK(sleeps(1000).front().saves == Approx(0.3));
  CHECK(has(sleeps(1000).front().seen, "were at work for 1.00 s meanwhile"));
  CHECK(sleeps(1500).empty());
}

// Catches a parent that looks now and then whether its workers are done left out, where these computed more than it,
// and one told that sleeps while they are at work.
TEST_CASE("findings: a parent sleeps, and its workers have nothing to do", "[findings]") {
  constexpr const char* kQueues = "/usr/lib/python3.11/multiprocessing/queues.py";
  const auto found = [](std::uint64_t idle_ms, const char* loop = "while not all(job.ready() for job in jobs)") {
    FindingsRun run;
    run.log.header.cpu_ns = 50 * kMs;
    const std::string file = run.directory() / "plan.py";
    std::ofstream(file) << "def wait_for(jobs):\n    " << loop << ":\n        time.sleep(0.25)\n";
    run.wait(run.line(0, run.code("wait_for", file), 3), "clock_nanosleep", "sleep", 8, 1'900 * kMs);
    for (std::uint32_t i = 0; i < 2; ++i) {
      FindingsRun child;
      child.becomes_child(501 + i, 500, 10, 1'900);
      const std::uint64_t cpu_ms = 1'900 - idle_ms;
      child.log.header.cpu_ns = child.log.thread(0).cpu_ns = cpu_ms * kMs;
      child.log.cpu(child.train(30), cpu_ms / 10, cpu_ms * kMs);
      child.wait(child.line(0, child.code("SimpleQueue.get", kQueues), 9), "read", "pipe", 8, idle_ms * kMs);
      child.write_into(run);
    }
    return run.look("sleeping");
  };
  const auto half = found(1'000);
  REQUIRE(half.size() == 1);
  CHECK(half.front().saves == Approx(0.5));
  CHECK(half.front().places.front().line == 3);
  CHECK(has(half.front().advice, "job.get()"));
  CHECK(!half.front().saves_more);
  CHECK(found(500).front().saves == Approx(0.25));
  CHECK(found(20).empty());
  CHECK(found(1'000, "while True").empty());  // at its own pace
}

// Catches the loop of a library that waits for work told as the program's own waiting for a peer.
TEST_CASE("findings: what a library waits for by itself", "[findings]") {
  const bool own = GENERATE(false, true);
  FindingsRun run;
  run.connects();
  const auto poll = run.code("_epoll.poll", "/v/site-packages/kombu/utils/eventio.py");
  run.wait(run.line(own ? run.train(12) : 0, poll, 83), "epoll_wait", "poll", 400, 1'200 * kMs);
  run.log.cpu(run.train(20), 20, 200 * kMs);
  CHECK(run.look("network-waits").size() == (own ? 1 : 0));
}
