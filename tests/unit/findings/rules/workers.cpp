// The rules about workers of the program's own, threads or processes, and about what they hand to each other.
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::below;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::kUs;
using test::lines_of;

namespace {

constexpr const char* kPool = "/usr/lib/libgomp.so.1";

// A thread beside the main one, which computes at line 30 for so long.
log::ThreadRecord& worker(FindingsRun& run, std::uint32_t slot, std::uint64_t start, std::uint64_t cpu_ms) {
  log::ThreadRecord& thread = run.log.thread(slot);
  thread.start_routine = start;
  if (cpu_ms > 0) run.log.cpu(run.train(30), cpu_ms / 10, cpu_ms * kMs, slot);
  return thread;
}

// Threads of one routine, for which the main thread waits at line 5 until the busiest one is done.
void threads(FindingsRun& run, const std::vector<std::uint64_t>& cpu_ms, const char* module = "/nowhere/libwork.so") {
  const auto start = log::native_frame(run.log.module(module), 0x400);
  std::uint64_t longest = 0;
  for (std::size_t i = 0; i < cpu_ms.size(); ++i) {
    worker(run, static_cast<std::uint32_t>(i + 1), start, cpu_ms[i]);
    longest = std::max(longest, cpu_ms[i]);
  }
  run.wait(run.train(5), "pthread_clockjoin_np", "lock", 1, longest * kMs);
}

// Processes of one command that compute for so long each; their parent waits for the busiest one at line 5.
void processes(FindingsRun& run, const std::vector<std::uint64_t>& cpu_ms) {
  run.log.header.cpu_ns = 2'000 * kMs;  // it is the program
  std::uint64_t longest = 0;
  for (std::size_t i = 0; i < cpu_ms.size(); ++i) {
    FindingsRun child;
    child.becomes_child(501 + static_cast<std::uint32_t>(i), 500, 10, 1'900);
    child.log.cpu(child.train(30), cpu_ms[i] / 10, cpu_ms[i] * kMs);
    child.write_into(run);
    longest = std::max(longest, cpu_ms[i]);
  }
  run.wait(run.train(5), "wait4", "child", 10, longest * kMs);
}

}  // namespace

TEST_CASE("findings: one worker has most of the work", "[findings]") {
  const auto [parts, what] = GENERATE(table<void (*)(FindingsRun&, const std::vector<std::uint64_t>&), const char*>({
      {[](FindingsRun& run, const std::vector<std::uint64_t>& ms) { threads(run, ms); }, "3 threads side by side"},
      {processes, "3 processes side by side"},
  }));
  INFO(what);
  for (const std::uint64_t half : {1, 2}) {
    FindingsRun run;
    parts(run, {1'200 / half, 300 / half, 300 / half});
    const auto found = run.look("uneven-workers");
    REQUIRE(found.size() == 1);
    CHECK(found.front().title == "One worker has most of the work");
    CHECK(found.front().saves == Approx(0.3 / static_cast<double>(half)));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{30, 5});
    CHECK(has(found.front().seen, what));
    if (half == 1)
      CHECK(has(found.front().seen,
                "one computed for 1.20 s, the others for 300 ms on average. In even parts all "
                "would be done after 600 ms."));
  }
}

// Catches workers that share two processors told as if each had one of its own.
TEST_CASE("findings: uneven workers, more than there are processors", "[findings]") {
  const auto [cpus, many] = GENERATE(table<const char*, bool>({{"allowed=2", false}, {"allowed=8", true}}));
  FindingsRun run;
  run.log.info(log::InfoKey::Cpus, cpus);
  threads(run, {1'200, 300, 300, 300});
  const auto found = run.look("uneven-workers");
  // With two, 1.2 s of the 2.1 that they share in 1.05.
  REQUIRE(found.size() == (many ? 1 : 0));
  if (!many) return;
  CHECK(found.front().saves_ns == Approx((1'200 - 525) * static_cast<double>(kMs)));
}

// Catches what is exactly known of a short run taken for too little to be told.
TEST_CASE("findings: one worker has most of the work of a short run", "[findings]") {
  for (const std::uint64_t end_ms : {450, 2'000}) {
    FindingsRun run;
    threads(run, {430, 70});
    run.log.header.end_monotonic_ns = run.log.header.start_monotonic_ns + end_ms * kMs;
    CHECK(run.look("uneven-workers").size() == (end_ms < 1'000 ? 1 : 0));
  }
}

TEST_CASE("findings: workers with even parts, or for which nobody waits", "[findings]") {
  SECTION("even") {
    FindingsRun run;
    threads(run, {700, 600, 600});
    CHECK(run.look("uneven-workers").empty());
  }
  // Catches waiting for a processor taken for work.
  SECTION("even, but one waits for a processor") {
    FindingsRun run;
    threads(run, {600, 600, 600});
    std::vector<log::ThreadUseRecord> uses(4);
    uses[1].run_queue_ns = 900 * kMs;
    run.use(uses);
    CHECK(run.look("uneven-workers").empty());
  }
  SECTION("even processes") {
    FindingsRun run;
    processes(run, {700, 600, 600});
    CHECK(run.look("uneven-workers").empty());
  }
  SECTION("the program does other things meanwhile") {
    FindingsRun run;
    const auto start = log::native_frame(run.log.module("/nowhere/libwork.so"), 0x400);
    worker(run, 1, start, 1'200);
    worker(run, 2, start, 300);
    CHECK(run.look("uneven-workers").empty());
  }
  SECTION("the other one is of a later round") {
    FindingsRun run;
    threads(run, {1'200, 300});
    run.log.thread(2).start_ns += 1'500 * kMs;
    CHECK(run.look("uneven-workers").empty());
  }
  SECTION("of different routines") {
    FindingsRun run;
    threads(run, {1'200, 300});
    run.log.thread(2).start_routine = log::native_frame(1, 0x800);
    CHECK(run.look("uneven-workers").empty());
  }
  SECTION("processes that were made to run different functions") {
    FindingsRun run;
    run.log.header.cpu_ns = 2'000 * kMs;
    for (const std::uint32_t i : {0U, 1U}) {
      FindingsRun child;
      child.becomes_child(501 + i, 500, 10, 1'900);
      const auto start = child.line(child.train(5), child.code("run", "/usr/lib/multiprocessing/process.py"), 9);
      const auto function = child.code(i == 0 ? "burn" : "collect", "/app/jobs.py");
      child.log.cpu(child.line(start, function, 7), 30, (i == 0 ? 1'200 : 300) * kMs);
      child.write_into(run);
    }
    run.wait(run.train(5), "wait4", "child", 10, 1'200 * kMs);
    CHECK(run.look("uneven-workers").empty());
  }
  SECTION("clients that wait for the network for longer than others") {
    FindingsRun run;
    threads(run, {100, 100, 100});
    run.wait(run.train(31), "recv", "network", 50, 1'700 * kMs, 1);
    run.wait(run.train(5), "pthread_clockjoin_np", "lock", 1, 1'700 * kMs);
    CHECK(run.look("uneven-workers").empty());
  }
  SECTION("of a library for parallel computing") {
    FindingsRun run;
    threads(run, {1'200, 300, 300}, kPool);
    CHECK(run.look("uneven-workers").empty());
  }
  SECTION("ranks of a training") {
    FindingsRun run;
    run.steps(10, 100);
    threads(run, {1'200, 300, 300});
    CHECK(FindingsRun::why_not(run.look(), "uneven-workers"));
  }
}

namespace {

// That many threads of one routine that wait for the network at line 31, and compute; the main thread waits for them.
void clients(FindingsRun& run, std::uint32_t count, std::uint64_t calls, std::uint64_t waits_ms,
             std::uint64_t main_waits_ms) {
  const auto start = log::native_frame(run.log.module("/nowhere/libwork.so"), 0x400);
  for (std::uint32_t slot = 1; slot <= count; ++slot) {
    worker(run, slot, start, 100);
    run.wait(run.train(31), "recv", "network", calls, waits_ms * kMs, slot);
  }
  run.wait(run.train(5), "pthread_clockjoin_np", "lock", 1, main_waits_ms * kMs);
}

}  // namespace

TEST_CASE("findings: few workers that wait one thing at a time", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    FindingsRun run;
    clients(run, 2, 50, 1'600, 1'600 / half);
    const auto found = run.look("few-workers");
    REQUIRE(found.size() == 1);
    CHECK(found.front().title == "Few workers wait one thing at a time");
    CHECK(found.front().saves == Approx(0.75 / static_cast<double>(half)));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{31, 5});
    if (half == 1)
      CHECK(has(found.front().seen,
                "2 threads waited 100 times, 80.0 % of their lives, and the program waited for "
                "them: with 32 at once they would need 100 ms."));
  }
}

// Those are on the same processors: more at once would only wait for these.
TEST_CASE("findings: few workers that wait for other processes of the run", "[findings]") {
  const auto found = [](std::uint64_t each_ms) {
    FindingsRun run;
    run.log.info(log::InfoKey::Cpus, "allowed=2");
    for (std::uint32_t i = 0; i < 4; ++i) {
      FindingsRun child;
      child.becomes_child(501 + i, 500, 10, 1'900);
      child.log.cpu(child.train(30), each_ms / 10, each_ms * kMs);
      child.log.info(log::InfoKey::Cpus, "allowed=2");
      child.log.thread(0).cpu_ns = each_ms * kMs;
      child.write_into(run);
    }
    clients(run, 2, 50, 1'600, 1'600);
    return run.look("few-workers");
  };
  CHECK(found(900).empty());
  const auto partly = found(300);
  REQUIRE(partly.size() == 1);
  CHECK(partly.front().saves > 0.4);
  CHECK(partly.front().saves < 0.7);  // 0.75 where nobody computes
}

// Children that are started by two threads and compute are done no sooner when more threads wait for them.
TEST_CASE("findings: few workers that wait for children at their pipes", "[findings]") {
  const auto found = [](std::uint64_t each_ms) {
    FindingsRun run;
    run.log.info(log::InfoKey::Cpus, "allowed=16");
    const auto start = log::native_frame(run.log.module("/nowhere/libwork.so"), 0x400);
    for (std::uint32_t slot = 1; slot <= 2; ++slot) {
      worker(run, slot, start, 100);
      run.wait(run.train(31), "read", "pipe", 50, 1'600 * kMs, slot);
    }
    run.wait(run.train(5), "pthread_clockjoin_np", "lock", 1, 1'600 * kMs);
    for (std::uint32_t i = 0; i < 4; ++i) {
      FindingsRun child;
      child.becomes_child(501 + i, 500, 10, 1'900);
      child.log.info(log::InfoKey::Cpus, "allowed=16");
      child.log.header.cpu_ns = child.log.thread(0).cpu_ns = each_ms * kMs;
      child.write_into(run);
    }
    return run.look("few-workers");
  };
  CHECK(found(800).empty());
  CHECK(found(0).size() == 1);
}

TEST_CASE("findings: workers that are many, busy or not waited for", "[findings]") {
  FindingsRun run;
  SECTION("many") { clients(run, 5, 50, 1'600, 1'600); }
  SECTION("busy") { clients(run, 2, 50, 1'300, 1'600); }
  SECTION("a few long waits") { clients(run, 2, 3, 1'600, 1'600); }
  SECTION("not waited for") { clients(run, 2, 50, 1'600, 100); }
  SECTION("of a server") {
    clients(run, 2, 50, 1'600, 1'600);
    run.wait(run.train(7), "accept4", "network", 4, 1 * kMs);
  }
  CHECK(run.look("few-workers").empty());
}

namespace {

// Waits of one of two threads for the other at line 14, where it computes as well.
void hand_over(FindingsRun& run, std::uint64_t calls, std::uint64_t waits_ms, std::uint64_t cpu_ms) {
  run.wait(run.train(14), "pthread_cond_wait", "lock", calls, waits_ms * kMs);
  run.log.cpu(run.train(14), cpu_ms / 10, cpu_ms * kMs);
  run.log.cpu(run.train(20), 50, 500 * kMs);
}

}  // namespace

TEST_CASE("findings: work that threads hand over piece by piece", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    FindingsRun run;
    hand_over(run, 4'000, 400 / half, 200 / half);
    const auto found = run.look("hand-overs");
    REQUIRE(found.size() == 1);
    CHECK(found.front().title == "Threads hand work over one piece at a time");
    CHECK(found.front().saves == Approx(0.3 / static_cast<double>(half)));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{14});
    if (half == 1)
      CHECK(has(found.front().seen, "One thread waited 4,000 times for another, 400 ms in all, 100 us each"));
  }
}

// Catches a consumer that waits for a slower producer, which larger pieces make no faster.
TEST_CASE("findings: work that is handed over by who has it to do all the time", "[findings]") {
  const std::uint64_t works_ms = GENERATE(1'950, 600);
  FindingsRun run;
  run.log.header.cpu_ns = 2'500 * kMs;
  hand_over(run, 4'000, 400, 200);
  run.log.thread(1);
  run.log.cpu(run.train(30), works_ms / 10, works_ms * kMs, 1);
  CHECK(run.look("hand-overs").size() == (works_ms == 600 ? 1 : 0));
}

TEST_CASE("findings: threads of Python that hand work over by a queue", "[findings]") {
  FindingsRun run;
  const auto get = run.line(run.train(14), run.code("Queue.get", "/usr/lib/python3.11/queue.py"), 50);
  const auto waits = run.line(get, run.code("Condition.wait", "/usr/lib/python3.11/threading.py"), 60);
  run.wait(run.interpreter(waits), "sem_wait", "lock", 4'000, 600 * kMs);
  const auto found = run.look("hand-overs");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.3));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{14});
}

// Catches a lock of processes told as work that threads hand over.
// A pool of two whose thread for tasks goes through a generator of the user's own, which takes so long, and pickles
// what that gives.
std::vector<findings::Finding> starved(std::uint64_t prepared_ms, std::uint64_t pickled_ms, std::uint64_t worked_ms,
                                       const char* feeder = "Pool._handle_tasks", bool reads = true,
                                       const char* works = "worker", bool fork_server = false) {
  constexpr const char* kServer = "/usr/lib/python3.11/multiprocessing/forkserver.py";
  constexpr const char* kPoolFile = "/usr/lib/python3.11/multiprocessing/pool.py";
  constexpr const char* kQueues = "/usr/lib/python3.11/multiprocessing/queues.py";
  FindingsRun run;
  run.log.header.cpu_ns = 2'000 * kMs;
  run.log.thread(1).cpu_ns = (prepared_ms + pickled_ms) * kMs;
  const auto tasks = run.line(0, run.code(feeder, kPoolFile), 50);
  const auto own = run.line(tasks, run.code("train", "/app/train.py"), 20);
  const auto prepares = reads ? below(run, own, "loads", "/usr/lib/python3.11/json/__init__.py") : own;
  run.log.cpu(prepares, prepared_ms / 10, prepared_ms * kMs, 1);
  if (pickled_ms > 0)
    run.log.cpu(below(run, tasks, "_ForkingPickler.dumps", "/usr/lib/python3.11/multiprocessing/reduction.py"),
                pickled_ms / 10, pickled_ms * kMs, 1);
  run.wait(run.train(5), "sem_wait", "lock", 10, 1'800 * kMs);
  const std::string of_server("python3\0-c\0from multiprocessing.forkserver import main; main(5, 6)", 66);
  if (fork_server) {
    FindingsRun server;
    server.becomes_child(510, 500, 5, 1'950);
    server.log.info(log::InfoKey::Argv, of_server);
    server.wait(server.line(0, server.code("main", kServer), 1), "epoll_wait", "poll", 2, 1'900 * kMs);
    server.write_into(run);
  }
  for (std::uint32_t i = 0; i < 2; ++i) {
    FindingsRun child;
    child.becomes_child(501 + i, fork_server ? 510 : 500, 10, 1'900);
    child.log.header.cpu_ns = child.log.thread(0).cpu_ns = worked_ms * kMs;
    std::uint32_t below_server = 0;
    if (fork_server) {
      child.log.info(log::InfoKey::Argv, of_server);
      below_server = child.line(child.line(0, child.code("main", kServer), 1), child.code("_serve_one", kServer), 2);
    }
    const auto worker = child.line(below_server, child.code(works, kPoolFile), 125);
    child.log.cpu(child.line(worker, child.code("train", "/app/train.py"), 30), worked_ms / 10, worked_ms * kMs);
    child.wait(child.line(worker, child.code("SimpleQueue.get", kQueues), 9), "read", "pipe", 50,
               (1'900 - worked_ms) * kMs);
    child.write_into(run);
  }
  return run.look("starved-workers");
}

// Catches a pool that works while its tasks are made, one whose tasks are large, and results that are looked at.
TEST_CASE("findings: workers that wait for whoever prepares their work", "[findings]") {
  const auto found = starved(1'600, 100, 200);
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.35));  // 1.7 s now, and half of 2 s then
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{20, 5});
  CHECK(has(found.front().seen, "2 processes had nothing to do for 1.70 s of"));
  const auto half = starved(800, 0, 100);
  REQUIRE(half.size() == 1);
  CHECK(half.front().saves == Approx(0.15));
  CHECK(starved(1'600, 100, 1'200).empty());
  CHECK(starved(300, 1'200, 200).empty());
  CHECK(starved(1'600, 100, 200, "Pool._handle_results").empty());
  // Each piece may need what was computed for the last one.
  CHECK(starved(1'600, 100, 200, "Pool._handle_tasks", false).empty());
  CHECK(starved(1'600, 100, 200, "Pool._handle_tasks", true, "write_rows").empty());  // no workers of that pool
  CHECK(starved(1'600, 100, 200, "Pool._handle_tasks", true, "worker", true).size() == 1);
}

TEST_CASE("findings: a lock of multiprocessing for each increment", "[findings]") {
  constexpr const char* kLocks = "/usr/lib/python3.11/multiprocessing/synchronize.py";
  for (const std::uint64_t half : {1, 2}) {
    FindingsRun run;
    const auto enter = run.line(run.train(14), run.code("SemLock.__enter__", kLocks), 95);
    run.wait(run.interpreter(enter), "sem_wait", "lock", 4'000, 400 / half * kMs);
    run.log.cpu(run.line(run.train(14), run.code("SemLock.__exit__", kLocks), 98), 40 / half, 400 / half * kMs);
    run.log.cpu(run.train(15), 80, 800 * kMs);
    CHECK(run.look("hand-overs").empty());
    const auto found = run.look("lock-contention");
    REQUIRE(found.size() == 1);
    CHECK(found.front().title == "Processes take a lock for each small piece of work");
    CHECK(found.front().saves == Approx(0.4 / static_cast<double>(half)));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{14});
  }
  FindingsRun few;
  few.wait(few.interpreter(few.line(few.train(14), few.code("SemLock.__enter__", kLocks), 95)), "sem_wait", "lock", 40,
           400 * kMs);
  CHECK(few.look("hand-overs").empty());
  CHECK(few.look("lock-contention").empty());
}

// Catches consumers that wait long for their producers, and the interpreter's own lock, told as hand-overs.
TEST_CASE("findings: waits for other threads that hand nothing over", "[findings]") {
  FindingsRun run;
  SECTION("few") { hand_over(run, 1'900, 300, 300); }
  SECTION("long ones") { hand_over(run, 4'000, 1'000, 200); }
  SECTION("little time") { hand_over(run, 4'000, 90, 90); }
  SECTION("for Python's global lock") {
    run.wait(run.interpreter(run.train(14)), "pthread_cond_timedwait", "lock", 4'000, 400 * kMs);
    run.log.cpu(run.train(14), 20, 200 * kMs);
  }
  SECTION("for a lock of Python's") { run.wait(run.interpreter(run.train(14)), "sem_wait", "lock", 4'000, 400 * kMs); }
  SECTION("for a mutex") { run.wait(run.train(14), "pthread_mutex_lock", "lock", 4'000, 400 * kMs); }
  CHECK(run.look("hand-overs").empty());
}
