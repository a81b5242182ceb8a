// The rule about pools whose results are waited for one by one.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::lines_of;

namespace {

// Two seconds, for so long of which line `asks_at` of a file, which goes on with `line` from its line 3, waits for a
// result; its pool computes for some of that.
std::vector<findings::Finding> look(const char* line, std::uint64_t waits_ms, std::uint64_t computes_ms = 0,
                                    std::uint64_t calls = 50, std::uint32_t asks_at = 3) {
  FindingsRun run;
  const std::string file = run.directory() / "fetch.py";
  std::ofstream(file) << "def fetch(pool, wanted):\n    for each in wanted:\n" << line << "\n";
  const std::uint32_t asks = run.line(0, run.code("fetch", file), asks_at),
                      result = run.line(
                          asks, run.code("Future.result", "/usr/lib/python3.11/concurrent/futures/_base.py"), 9),
                      worker = run.line(0, run.code("_worker", "/usr/lib/python3.11/concurrent/futures/thread.py"), 9);
  run.wait(result, "sem_wait", "lock", calls, waits_ms * kMs);
  if (computes_ms > 0) run.log.cpu(worker, computes_ms / 10, computes_ms * kMs);
  run.log.cpu(run.train(20), 20, 200 * kMs);
  return run.look("results-at-once");
}

}  // namespace

TEST_CASE("findings: results of a pool that are waited for one by one", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = look("        keep(pool.submit(get, each).result())", 1'200 / half);
    REQUIRE(found.size() == 1);
    // Five threads of a pool that says nothing take a fifth of it: of one processor.
    CHECK(found.front().saves == Approx(0.48 / static_cast<double>(half)));
    CHECK(found.front().places.front().line == 3);
    if (half == 1) CHECK(has(found.front().seen, "One piece is waited for at a time, 1.20 s in all"));
  }
  CHECK(look("        with ThreadPoolExecutor(max_workers=60) as pool: keep(pool.submit(get, each).result())", 1'200)
            .front()
            .saves == Approx(0.59));
  CHECK(look("        keep(pool.apply_async(get, (each,)).get())", 1'200).size() == 1);
  CHECK(look("        each = pool.submit(get, each)\n        keep(each.result())", 1'200, 0, 50, 4).size() == 1);
  CHECK(look("        future = pool.submit(\n            get, each)\n        pages[each] = future.result()", 1'200, 0,
             50, 5)
            .size() == 1);
  // What the workers compute has to be done in any case.
  CHECK(look("        keep(pool.submit(get, each).result())", 1'200, 600).front().saves == Approx(0.3));
}

// Catches a worker taken for the program, since it computes most.
TEST_CASE("findings: results of a pool of processes that are waited for one by one", "[findings]") {
  FindingsRun run, worker;
  const std::string file = run.directory() / "fetch.py";
  std::ofstream(file) << "def fetch(pool, wanted):\n    for each in wanted:\n"
                         "        keep(pool.submit(get, each).result())  # max_workers=2\n";
  run.log.header.cpu_ns = 100 * kMs;
  const std::uint32_t asks = run.line(0, run.code("fetch", file), 3);
  run.wait(run.line(asks, run.code("Future.result", "/usr/lib/python3.11/concurrent/futures/_base.py"), 9), "sem_wait",
           "lock", 50, 1'800 * kMs);
  worker.becomes_child(501, 500, 10, 1'900);
  worker.log.header.cpu_ns = 850 * kMs;
  const auto works =
      worker.line(0, worker.code("_process_worker", "/usr/lib/python3.11/concurrent/futures/process.py"), 9);
  worker.log.cpu(worker.line(works, worker.code("train", "/app/train.py"), 30), 85, 850 * kMs);
  worker.write_into(run);
  const auto found = run.look("results-at-once");
  REQUIRE(found.size() == 1);
  CHECK(found.front().places.front().line == 3);
  CHECK(found.front().saves > 0.4);
}

TEST_CASE("findings: results of a pool that are collected", "[findings]") {
  CHECK(look("        keep(each.result())", 1'200).empty());
  CHECK(look("        page = pool.submit(get, page).result()", 1'200).empty());  // goes on from the last one
  CHECK(look("        keep(ThreadPoolExecutor(1).submit(get, each).result())", 1'200).empty());
  CHECK(look("        f = pool.submit(get, page)\n        page = f.result()", 1'200, 0, 50, 4).empty());
  CHECK(look("        f = pool.submit(get, at)\n        page = f.result()\n        at = page.next", 1'200, 0, 50, 4)
            .empty());
  CHECK(look("        here = at\n        f = pool.submit(get, here)\n        page = f.result()\n        at = page.next",
             1'200, 0, 50, 5)
            .empty());
  CHECK(look("        while at:\n            f = pool.submit(get, at)\n            at = more(f.result())", 1'200, 0, 50,
             5)
            .empty());
  CHECK(look("        f = pool.submit(get, each)\n    for f in futures:\n        keep(f.result())", 1'200, 0, 50, 5)
            .empty());
  CHECK(look("        f = pool.submit(get, each)\n        futures.append(f)\n    keep(f.result())", 1'200, 0, 50, 5)
            .empty());
  CHECK(look("        keep(pool.submit(get, each).result())", 100).empty());
  CHECK(look("        keep(pool.submit(get, each).result())", 1'200, 1'200).empty());
  CHECK(look("        keep(pool.submit(get, each).result())", 1'200, 0, 2).empty());
}
