// Threads of Python that end because they waited in vain for more.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

constexpr const char* kStage =
    "def run(self):\n"
    "    while True:\n"
    "        try:\n"
    "            item = self.inbox.get(timeout=PATIENCE)\n"
    "        except queue.Empty:\n"
    "            break\n"
    "        self.work(item)\n";

// Threads from slot 1 on, each of which waited so often in vain at line 4 of a file of that text, so long each time;
// the main thread waited for others so long.
struct LateEnds {
  std::uint64_t threads = 3, in_vain = 1, each_ms = 500, joined_ms = 800, end_ms = 900;
  const char* call = "sem_clockwait";
  bool one_by_one = false;
  const char* source = kStage;
  const char* waited_in = "Thread.join";
};

std::vector<findings::Finding> ended(const LateEnds& ends) {
  FindingsRun run;
  const std::string file = run.directory() / "stage.py";
  std::ofstream(file) << ends.source;
  const std::uint32_t code = run.code("run", file, 1);
  const std::uint32_t frame = run.log.named(log::NameKind::Wait, ends.call, "lock"),
                      totals = run.log.node(0, run.log.special(log::SpecialFrame::Waits)),
                      spreads = run.log.node(0, run.log.special(log::SpecialFrame::Spreads));
  const std::uint64_t start_ns = run.log.header.start_monotonic_ns;
  for (std::uint32_t slot = 1; slot <= ends.threads; ++slot) {
    const std::uint64_t ns = ends.in_vain * ends.each_ms * kMs;
    run.log.record(log::RecordClass::Wait, run.log.node(run.line(0, code, 3), frame),
                   log::WaitWords{(ends.in_vain + 5) * log::kCountUnit, ns + 50 * kMs, ends.in_vain + 5}, slot);
    log::WaitTotalWords total{};
    total.calls = ends.in_vain + 5;
    total.failed = ends.in_vain;
    total.total_ns = ns + 50 * kMs;
    run.log.record(log::RecordClass::WaitTotal, run.log.node(totals, frame), total, slot);
    log::SpreadWords spread{};
    spread.count[log::spread_class(ends.each_ms * kMs)] = ends.in_vain;
    spread.count[log::spread_class(10 * kMs)] = 5;
    run.log.record(log::RecordClass::Spread, run.log.node(spreads, frame), spread, slot);
    run.log.cpu(run.line(0, code, 6), 1, 10 * kMs, slot);
    log::ThreadRecord& thread = run.log.thread(slot);
    thread.start_ns = start_ns + (ends.one_by_one ? slot : 1) * 20 * kMs;
    thread.end_ns = ends.one_by_one ? thread.start_ns + 15 * kMs : start_ns + ends.end_ms * kMs;
  }
  run.wait(test::below(run, run.train(81), ends.waited_in, "/usr/lib/python3.11/threading.py"), "sem_wait", "lock",
           ends.threads, ends.joined_ms * kMs);
  run.log.cpu(run.train(4), 10, 100 * kMs);
  return run.look("late-ends");
}

}  // namespace

TEST_CASE("findings: threads that end because a wait for more timed out", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = ended({.each_ms = 500 / half});
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.25 / static_cast<double>(half)).epsilon(0.1));
    CHECK(found.front().places.front().line == 4);
    CHECK(has(found.front().seen, "3 threads ended"));
    CHECK(has(found.front().seen, "up to 3 of them at once"));
  }
  CHECK(ended({.source = "def run(q):\n    while 1:\n        pass\n        if not go.wait(5):\n            return\n"})
            .size() == 1);
  // One after the other, each is waited for.
  const auto in_turn = ended({.one_by_one = true});
  REQUIRE(in_turn.size() == 1);
  CHECK(in_turn.front().saves == Approx(0.4));  // no more than was waited
}

// Catches threads that look again and again, those that the program does not wait for or that do not end before it, and
// the interpreter's own lock.
TEST_CASE("findings: threads whose waits time out for other reasons", "[findings]") {
  CHECK(ended({.in_vain = 3}).empty());
  CHECK(ended({.in_vain = 0}).empty());
  CHECK(ended({.joined_ms = 20}).empty());
  CHECK(ended({.end_ms = 2'000}).empty());
  CHECK(ended({.call = "pthread_cond_timedwait"}).empty());
  CHECK(ended({.waited_in = "Condition.wait"}).empty());  // for a result
  // A pause before the work, and a time-out after which it goes on.
  CHECK(ended({.source = "def run(q):\n    a = 1\n    b = 2\n    if stop.wait(0.5):\n        return\n"}).empty());
  CHECK(
      ended({.source = "def run(q):\n    a = 1\n    try:\n        q.get(timeout=1)\n    except Empty:\n        pass\n"})
          .empty());
}
