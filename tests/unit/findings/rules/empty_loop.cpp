#include "report/findings/rules/shared/empty_loop.hpp"

#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using findings::in_empty_loop;
using test::FindingsRun;
using test::kMs;

namespace {

using SourceLines = std::vector<std::string>;

bool any_empty(const SourceLines& lines, bool python) {
  for (std::size_t number = 1; number <= lines.size(); ++number) {
    if (in_empty_loop(lines, number, python)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("loops of C that only look", "[findings]") {
  for (const SourceLines& lines : std::vector<SourceLines>{
           {"while (!ready) {", "}"},
           {"  while (!ready.load(std::memory_order_acquire));  // wait"},
           {"while (flag.test_and_set(std::memory_order_acquire)) {", "  // spin", "  _mm_pause();", "}"},
           {"while (queue.empty())", "  std::this_thread::yield();"},
           {"while (std::chrono::steady_clock::now() < end) {}"},
           {"while (a->done != b->wanted) { sched_yield(); }"},
           {"}", "while (!ready) {", "}"},
       }) {
    INFO(lines[0]);
    CHECK(any_empty(lines, false));
  }
  const SourceLines body{"while (!ready) {", "  std::this_thread::yield();", "}", "work();"};
  CHECK(in_empty_loop(body, 2, false));
  CHECK_FALSE(in_empty_loop(body, 4, false));
}

// Catches loops whose condition is what works.
TEST_CASE("loops of C that do something", "[findings]") {
  for (const SourceLines& lines : std::vector<SourceLines>{
           {"while (*to++ = *from++);"},
           {"while ((c = getchar()) != EOF) {", "}"},
           {"while (std::next_permutation(v.begin(), v.end())) {", "}"},
           {"while (n /= 2);"},
           {"while (!ready) {", "  poll_device();", "}"},
           {"do {", "  step();", "} while (!ready);"},
           {"do {", "  step();", "}", "while (!ready);"},
           {"while (true) {", "}"},
           {"for (int i = 0; i < n; ++i) sum += i;"},
           {"while (!ready"},
           {"while (in >> last) {", "}"},
           {"while (steps[i]());"},
           {"while (run<int>(x));"},
       }) {
    INFO(lines[0]);
    CHECK_FALSE(any_empty(lines, false));
  }
  CHECK_FALSE(in_empty_loop({}, 1, false));
  CHECK_FALSE(in_empty_loop({"while (!a);"}, 0, false));
}

TEST_CASE("loops of Python that only look, and others", "[findings]") {
  for (const SourceLines& lines : std::vector<SourceLines>{
           {"while not done: pass"},
           {"    while time.perf_counter() < end:", "        pass"},
           {"while not event.is_set():", "    # wait", "    continue", "print(1)"},
           {"while queue.empty() and not self.closed:", "    time.sleep(0)"},
           {"while not lock.acquire(blocking=False):", "    pass"},
       }) {
    INFO(lines[0]);
    CHECK(any_empty(lines, true));
  }
  for (const SourceLines& lines : std::vector<SourceLines>{
           {"while not done:", "    work()"},
           {"while cursor.fetchone(): pass"},
           {"while file.read(4096): pass"},
           {"while pickle.load(f) is not None: pass"},
           {"while (n := n // 2): pass"},
           {"while True:", "    pass"},
           {"while not done:", "print(1)"},
           {"for x in rows: pass"},
       }) {
    INFO(lines[0]);
    CHECK_FALSE(any_empty(lines, true));
  }
}

TEST_CASE("loops of coroutines that only look", "[findings]") {
  CHECK(any_empty({"while job.status != 'done':", "    await asyncio.sleep(0)  # let others have the loop"}, true));
  CHECK_FALSE(any_empty({"while job.status != 'done':", "    await asyncio.sleep(0.1)"}, true));
  CHECK_FALSE(any_empty({"while job.status != 'done':", "    step(job)", "    await asyncio.sleep(0)"}, true));
}

TEST_CASE("findings: a thread that is busy waiting", "[findings]") {
  for (const std::uint64_t ms : {800, 400, 100}) {
    FindingsRun run;
    const std::string file = run.directory() / "app.py";
    std::ofstream(file) << "import time\nwhile not flag.is_set():\n    pass\n";
    const auto loop = run.line(0, run.code("wait", file), 2);
    run.log.cpu(run.interpreter(loop), ms / 20, ms * kMs / 2);
    run.log.cpu(run.line(loop, run.code("Event.is_set", "/usr/lib/python3.11/threading.py"), 9), ms / 20, ms * kMs / 2);
    run.log.cpu(run.train(31), 80, 800 * kMs);
    const auto found = run.look("busy-waiting");
    REQUIRE(found.size() == (ms > 100 ? 1U : 0U));
    if (found.empty()) continue;
    CHECK(found.front().saves == Approx(static_cast<double>(ms) / 2000));
    CHECK(found.front().places == std::vector<findings::Place>{{file, 2, "wait"}});
  }
}

// Catches a loop around a function that does the work taken for one that waits for it.
TEST_CASE("findings: a loop whose condition does the work", "[findings]") {
  for (const std::uint64_t work_ms : {100, 900}) {
    FindingsRun run;
    const std::string file = run.directory() / "app.py";
    std::ofstream(file) << "def run():\n    while not job.poll():\n        pass\n\n\ndef poll():\n    return work()\n";
    const auto loop = run.line(0, run.code("run", file), 2);
    run.log.cpu(loop, 40, 400 * kMs);
    run.log.cpu(run.line(loop, run.code("poll", file), 7), work_ms / 10, work_ms * kMs);
    CHECK(run.look("busy-waiting").size() == (work_ms == 100 ? 1 : 0));
  }
}
