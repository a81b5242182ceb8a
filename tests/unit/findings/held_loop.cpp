#include "report/fold/waiting/holds.hpp"
#include "report/formats/json_blocking.hpp"
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using namespace prof::test;

namespace {

constexpr const char* kBaseEvents = "/usr/lib/python3.11/asyncio/base_events.py";
constexpr const char* kSelectors = "/usr/lib/python3.11/selectors.py";

// A program whose loop is at line 3, and whose line 20 works in its callbacks.
class LoopRun : public FindingsRun {
 public:
  std::uint32_t callback() { return node_of(train(3), "BaseEventLoop._run_once", kBaseEvents); }
  std::uint32_t work(std::uint32_t number) { return line(callback(), code("train", "/app/train.py"), number); }
  void hold(std::uint32_t node, std::uint64_t count, std::uint64_t ms, std::uint64_t longest_ms, std::uint64_t events,
            std::uint64_t busy_percent = 90) {
    log.record(log::RecordClass::Hold, node,
               log::HoldWords{count, ms * kMs, longest_ms * kMs, events, ms * kMs / 100 * busy_percent});
  }
  std::uint32_t selects() { return node_of(callback(), "EpollSelector.select", kSelectors); }

 private:
  std::uint32_t node_of(std::uint32_t above, const char* name, const char* file) {
    return line(above, code(name, file), 1);
  }
};

}  // namespace

// Half the fault is half the amount; catches amounts of turns that were no computing.
TEST_CASE("findings: what computes for long in an event loop", "[findings]") {
  const std::uint64_t part = GENERATE(1, 2);
  LoopRun run;
  const std::uint32_t at = run.work(20);
  run.log.cpu(at, 80, 800 / part * kMs);
  run.hold(at, 10, 800 / part, 120, 30);
  const auto found = run.look("loop-held-up");
  REQUIRE(found.size() == 1);
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{20});
  CHECK(has(found.front().seen, "10 turns of 10.0 ms or more, the longest 120 ms"));
  CHECK(has(found.front().seen, part == 1 ? "800 ms in all (40.0 %" : "400 ms in all (20.0 %"));
  CHECK(has(found.front().seen, "30 events that had arrived"));
  CHECK(found.front().saves == 0);
}

TEST_CASE("findings: an event loop that holds up nobody, or not for long", "[findings]") {
  LoopRun run;
  const std::uint32_t at = run.work(20);
  run.log.cpu(at, 80, 800 * kMs);
  SECTION("nothing waits") { run.hold(at, 10, 800, 120, 2); }
  SECTION("short turns") { run.hold(at, 30, 600, 30, 100); }
  SECTION("a few at its start") { run.hold(at, 3, 600, 300, 100); }
  SECTION("little of the time") { run.hold(at, 6, 80, 60, 100); }
  SECTION("other programs had the processor") { run.hold(at, 10, 800, 120, 30, 40); }
  // A program that waits for descriptors by itself.
  SECTION("no loop") {
    const std::uint32_t line = run.train(30);
    run.log.cpu(line, 80, 800 * kMs);
    run.hold(line, 10, 800, 120, 30);
  }
  // What a library does in its own loop, at the line that runs it.
  SECTION("the line that runs the loop") {
    const std::uint32_t start = run.train(30);
    run.log.cpu(run.line(start, run.code("run", "/v/site-packages/twisted/internet/base.py"), 1), 60, 600 * kMs);
    run.wait(run.line(start, run.code("EpollSelector.select", kSelectors), 1), "epoll_wait", "poll", 10, 900 * kMs);
    run.hold(start, 10, 600, 120, 30);
  }
  // What waits is another rule's.
  SECTION("waiting") {
    const std::uint32_t waits = run.work(40);
    run.wait(waits, "recv", "network", 10, 800 * kMs);
    run.hold(waits, 10, 800, 120, 30);
  }
  CHECK(run.look("loop-held-up").empty());
}

// Catches turns that are long since many tasks are ready at once, each of which computes little; not those of a task
// that computes once and then sends much.
TEST_CASE("findings: turns of many short pieces of work", "[findings]") {
  struct Case {
    std::uint64_t sends, events;
    bool told;
  };
  for (const Case& one : {Case{20, 2'000, true}, Case{20'000, 2'000, false}, Case{20'000, 30, true}}) {
    LoopRun run;
    const auto task = run.log.node(run.callback(), run.log.named(log::NameKind::Task, "serve", "serve"));
    const auto at = run.line(task, run.code("serve", "/app/train.py"), 20);
    run.log.cpu(at, 80, 800 * kMs);
    run.wait(at, "send", "network", one.sends, 10 * kMs);
    run.hold(at, 10, 800, 120, one.events);
    CHECK(run.look("loop-held-up").size() == (one.told ? 1 : 0));
  }
}

// Catches a single coroutine that is told to let others run, which are not there.
TEST_CASE("findings: a call in an event loop of which nobody else is", "[findings]") {
  const std::uint64_t events = GENERATE(0, 20);
  LoopRun run;
  run.connects();
  const std::uint32_t at = run.work(20);
  run.wait(at, "recv", "network", 40, 1000 * kMs);
  run.hold(at, 40, 1000, 50, events);
  CHECK(run.look("event-loop-blocked").size() == (events > 0 ? 1 : 0));
  CHECK(run.look("network-waits").size() == (events > 0 ? 0 : 1));
}

// Catches the waits of many tasks of one name that are taken for those of one.
TEST_CASE("findings: several calls in each turn of a loop are of several tasks", "[findings]") {
  const std::uint64_t turns = GENERATE(40, 10);
  LoopRun run;
  run.log.info(log::InfoKey::Python, "gathered=8");
  const auto task = [&](const char* name) {
    return run.line(run.log.node(run.callback(), run.log.named(log::NameKind::Task, name, "train")),
                    run.code("train", "/app/train.py"), 20);
  };
  const std::uint32_t handle = task("handle");
  run.wait(handle, "recv", "network", 40, 1600 * kMs);
  run.hold(handle, turns, 1600, 200, 5);
  run.log.cpu(task("client"), 1, 10 * kMs);
  run.log.cpu(task("main"), 1, 10 * kMs);
  const auto found = run.look("event-loop-blocked");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(turns == 10 ? 0.8 * 3 / 4 : 0.2));
}

// Catches logs of older agents of which it is said that no loop was held up.
TEST_CASE("turns of event loops are known of those that measured them") {
  const auto minor = static_cast<std::uint16_t>(GENERATE(11, 12));
  LoopRun run;
  run.log.header.minor = minor;
  run.wait(run.work(40), "recv", "network", 10, 800 * kMs);
  run.look();
  CHECK(fold::turns_known(run.run) == (minor == 12));
  CHECK(formats::loops_json(run.subject()).is_null() == (minor == 11));
}
