// Tasks that wait for one of the few threads that asyncio.to_thread() shares.
#include <cstring>
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::below;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

// Tasks that are gathered, threads that waited for peers for so long of 1,600 ms, and the loop for them.
struct Executor {
  std::uint64_t gathered = 36, threads = 6, waited_ms = 1'500;
  const char* name = "asyncio_";
  const char* waits = "network";
};

std::vector<findings::Finding> handed(const Executor& its) {
  FindingsRun run;
  const std::string file = run.directory() / "poll.py";
  std::ofstream(file) << "async def poll(device):\n    return await asyncio.to_thread(read, device)\n"
                         "async def main():\n    await asyncio.gather(*(poll(d) for d in devices))\n";
  run.log.info(log::InfoKey::Python, "gathered=" + std::to_string(its.gathered));
  const std::uint64_t start_ns = run.log.header.start_monotonic_ns;
  for (std::uint32_t slot = 1; slot <= its.threads; ++slot) {
    log::ThreadRecord& thread = run.log.thread(slot);
    thread.start_ns = start_ns + 100 * kMs;
    thread.end_ns = start_ns + 1'700 * kMs;
    std::strcpy(thread.python_name, (its.name + std::to_string(slot - 1)).c_str());
    run.wait(run.train(60), "recv", its.waits, 10, its.waited_ms * kMs, slot);
  }
  const auto once = below(run, run.train(3), "BaseEventLoop._run_once", "/usr/lib/python3.11/asyncio/base_events.py");
  const auto select = below(run, once, "EpollSelector.select", "/usr/lib/python3.11/selectors.py");
  run.wait(run.line(select, run.code("main", file, 3), 1), "epoll_wait", "poll", 50, 1'500 * kMs);
  run.log.cpu(run.train(4), 10, 100 * kMs);
  return run.look("default-executor");
}

}  // namespace

TEST_CASE("findings: tasks that wait for a thread of the loop's executor", "[findings]") {
  const auto found = handed({});
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.75 * 30 / 36));
  CHECK(found.front().places.front().line == 2);
  CHECK(has(found.front().seen, "waits for 36 tasks, and 6 threads"));
  const auto half = handed({.gathered = 12});
  REQUIRE(half.size() == 1);
  CHECK(half.front().saves == Approx(0.75 / 2));
}

// Catches as many threads as there are tasks, threads that work or wait for locks, and other pools.
TEST_CASE("findings: executors that are large enough", "[findings]") {
  CHECK(handed({.gathered = 6}).empty());
  CHECK(handed({.waited_ms = 800}).empty());
  CHECK(handed({.waits = "lock"}).empty());
  CHECK(handed({.name = "ThreadPoolExecutor-0_"}).empty());
}
