// The rules about what threads and ranks wait for, and about page faults, on cases that have the fault and on ones that
// have not.
#include <cstring>
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::kUs;
using test::lines_of;

TEST_CASE("findings: a thread that waits for a lock of Python's", "[findings]") {
  FindingsRun run;
  const auto code = run.interpreter(run.train(14));
  run.wait(code, "sem_wait", "lock", 40, 600 * kMs);
  run.log.cpu(run.train(20), 40, 400 * kMs);
  const auto found = run.look("lock-contention");
  REQUIRE(found.size() == 1);
  CHECK(found.front().title == "Threads wait for locks that others hold");
  CHECK(has(found.front().seen, "1 thread waited 40 times for locks, 600 ms in all: 60.0 %"));
  CHECK(found.front().saves == Approx(0.3));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{14});
}

// Catches looking at the process alone that computes most: one that waits computes little.
TEST_CASE("findings: a thread that waits for a lock beside a child that computes more", "[findings]") {
  FindingsRun run;
  run.wait(run.interpreter(run.train(14)), "sem_wait", "lock", 40, 600 * kMs);
  run.log.cpu(run.train(20), 2, 20 * kMs);
  test::add_children(run, 1, 60);
  const auto found = run.look("lock-contention");
  REQUIRE(found.size() == 1);
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{14});
}

TEST_CASE("findings: threads that wait for a mutex of native code", "[findings]") {
  FindingsRun run;
  run.log.thread(1);
  run.wait(run.train(14), "pthread_mutex_lock", "lock", 40, 300 * kMs);
  run.wait(run.train(15), "pthread_mutex_lock", "lock", 40, 800 * kMs, 1);
  run.log.cpu(run.train(20), 40, 400 * kMs);
  const auto found = run.look("lock-contention");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.4));  // what the one lost that waited most
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{15, 14});
}

// Catches a claim of more than threads that take turns at the same work could ever save, and of less where another one
// holds the lock for work of its own.
TEST_CASE("findings: threads of which one works while the others wait for the lock", "[findings]") {
  const bool main_works = GENERATE(false, true);
  FindingsRun run;
  run.log.thread(0).flags = log::kThreadMain;
  run.log.thread(1);
  run.log.thread(2);
  run.wait(run.train(14), "pthread_mutex_lock", "lock", 2, 1'800 * kMs, 1);
  run.log.cpu(run.train(20), 5, 50 * kMs, 1);
  run.log.cpu(run.train(20), 5, 50 * kMs, 2);
  if (main_works) run.log.cpu(run.train(20), 150, 1'500 * kMs);
  const auto found = run.look("lock-contention");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(main_works ? 0.9 : 0.5));
}

// Catches more claimed of threads that wait for a lock than the processors leave them when nobody waits.
TEST_CASE("findings: threads that wait for a lock and compute a lot", "[findings]") {
  const char* const cpus = GENERATE("allowed=2", "allowed=64");
  FindingsRun run;
  run.log.info(log::InfoKey::Cpus, cpus);
  run.log.thread(0).flags = log::kThreadMain;
  for (std::uint32_t slot = 1; slot <= 4; ++slot) {
    run.log.thread(slot);
    run.wait(run.train(14), "pthread_mutex_lock", "lock", 40, 1'400 * kMs, slot);
    run.log.cpu(run.train(20), 60, 600 * kMs, slot);
  }
  const auto found = run.look("lock-contention");
  REQUIRE(found.size() == 1);
  // Two seconds in which they compute for 2.4: on two processors that takes 1.2 in any case.
  CHECK(found.front().saves == Approx(std::string(cpus) == "allowed=2" ? 0.4 : 0.7));
}

// Catches servers with a thread for each request: each waits for a short time, and all of them for all of it.
TEST_CASE("findings: threads that wait for a lock and live one after the other", "[findings]") {
  const bool at_once = GENERATE(false, true);
  FindingsRun run;
  constexpr std::uint32_t kThreads = 12;
  for (std::uint32_t slot = 1; slot <= kThreads; ++slot) {
    auto& thread = run.log.thread(slot);
    thread.start_ns = run.log.header.start_monotonic_ns + (at_once ? 0 : slot * 100 * kMs);
    thread.end_ns = thread.start_ns + 100 * kMs;
    run.wait(run.train(14), "pthread_mutex_lock", "lock", 1, 80 * kMs, slot);
  }
  run.log.cpu(run.train(20), 40, 100 * kMs);
  const auto found = run.look("lock-contention");
  REQUIRE(found.size() == (at_once ? 0 : 1));
  if (at_once) return;
  CHECK(has(found.front().seen, "12 threads waited 12 times for locks, 960 ms in all"));
  CHECK(has(found.front().seen, "12 of them, one after the other, lost 960 ms."));
  CHECK(found.front().saves == Approx(0.48));
}

// Catches the workers of a library's own pool, whose queue is made of locks of Python's.
TEST_CASE("findings: a thread of a library that waits for a lock of Python's", "[findings]") {
  const bool own = GENERATE(false, true);
  FindingsRun run;
  run.log.thread(1);
  const auto get = run.code("Queue.get", "/usr/lib/python3/dist-packages/pool/_threads.py");
  const auto code = run.interpreter(run.line(own ? run.train(14) : 0, get, 36));
  run.wait(code, "sem_wait", "lock", 1, 1'900 * kMs, 1);
  run.log.cpu(run.train(20), 40, 400 * kMs);
  CHECK(run.look("lock-contention").size() == (own ? 1 : 0));
}

TEST_CASE("findings: threads that wait for each other's locks to the end", "[findings]") {
  const std::uint32_t stuck = GENERATE(0U, 1U, 2U);
  const bool third = GENERATE(false, true);  // is at work
  FindingsRun run;
  run.log.header.end = log::End::Running;
  run.log.header.waited_ns = run.log.header.start_monotonic_ns + 2'000 * kMs;
  run.log.header.wait_status = 15;
  run.log.thread(1);
  if (third) run.log.thread(2);
  std::vector<log::ThreadUseRecord> uses(2);
  for (std::uint32_t slot = 0; slot < 2; ++slot) {
    const std::uint32_t name = run.log.name(log::NameKind::Wait, "pthread_mutex_lock", "lock");
    const std::uint32_t node = run.log.node(run.train(14 + slot), run.log.named(name));
    if (slot >= stuck) {
      run.wait(run.train(14 + slot), "pthread_mutex_lock", "lock", 40, 1'500 * kMs, slot);
      continue;
    }
    uses[slot].open_frame = log::named_frame(name, 0);
    uses[slot].open_since = uses[slot].open_node_since = run.log.header.start_monotonic_ns + 500 * kMs;
    uses[slot].open_node = node;
  }
  run.use(uses);
  const auto found = run.look("lock-contention");
  REQUIRE(found.size() == 1);
  const bool dead = stuck == 2 && !third;
  const bool both = stuck < 2 || dead;  // else the other one waits for work
  CHECK(lines_of(found.front()) == (both ? std::vector<std::int64_t>{14, 15} : std::vector<std::int64_t>{14}));
  CHECK(has(found.front().seen, "2 of them waited to the end, and no other thread was at work.") == dead);
  CHECK(has(found.front().advice, "deadlock") == dead);
}

// Catches a thread that takes a lock twice told as contention.
TEST_CASE("findings: a thread that waits to the end for a lock that nobody else can release", "[findings]") {
  const bool joined = GENERATE(false, true);  // the main thread waits for it
  FindingsRun run;
  run.log.header.end = log::End::Running;
  run.log.header.waited_ns = run.log.header.start_monotonic_ns + 2'000 * kMs;
  run.log.header.wait_status = 15;
  std::vector<log::ThreadUseRecord> uses(joined ? 2 : 1);
  if (joined) run.log.thread(1);
  for (std::size_t slot = 0; slot < uses.size(); ++slot) {
    const bool joins = joined && slot == 0;
    const std::uint32_t name =
        run.log.name(log::NameKind::Wait, joins ? "pthread_clockjoin_np" : "pthread_mutex_lock", "lock");
    uses[slot].open_frame = log::named_frame(name, 0);
    uses[slot].open_since = uses[slot].open_node_since = run.log.header.start_monotonic_ns + 500 * kMs;
    uses[slot].open_node = run.log.node(run.train(joins ? 5 : 14), run.log.named(name));
  }
  run.use(uses);
  const auto found = run.look("lock-contention");
  REQUIRE(found.size() == 1);
  CHECK(found.front().title == (joined ? "A thread waits for a lock that is never released"
                                       : "A thread waits for a lock that it holds itself"));
  CHECK(has(found.front().seen, joined ? "It waited to the end, and all others waited for threads, too."
                                       : "It waited to the end, and there was no other thread"));
  CHECK(has(found.front().advice, "RLock"));
  CHECK(lines_of(found.front()).front() == 14);
}

TEST_CASE("findings: threads that wait for Python's global lock", "[findings]") {
  FindingsRun run;
  run.wait(run.interpreter(run.train(14)), "pthread_cond_timedwait", "lock", 100, 500 * kMs);
  run.log.cpu(run.train(14), 50, 500 * kMs);
  const auto found = run.look("lock-contention");
  REQUIRE(found.size() == 1);
  CHECK(found.front().title == "Threads wait for Python's global lock");
  CHECK(found.front().saves == Approx(0.25));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{14});
}

// Catches what a thread computed alone, before it had others beside it, told as kept up by them.
TEST_CASE("findings: threads that wait for Python's global lock, after one was at work alone", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    FindingsRun run;
    run.log.info(log::InfoKey::Cpus, "allowed=2");
    run.log.thread(1);
    run.log.cpu(run.train(14), 120, 1'200 * kMs);
    run.wait(run.interpreter(run.train(14)), "pthread_cond_timedwait", "lock", 100, 500 * kMs / half);
    run.log.cpu(run.train(14), 50, 500 * kMs / half, 1);
    run.wait(run.interpreter(run.train(14)), "pthread_cond_timedwait", "lock", 100, 600 * kMs / half, 1);
    const auto found = run.look("lock-contention");
    if (half == 2) {
      CHECK(found.empty());
      continue;
    }
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.25));
    // Why the loop is slow goes before that it is one.
    for (const findings::Finding& other : run.look().findings) CHECK(other.rule != "python-loop");
  }
}

// Catches a busy machine, where what they compute takes longer, as does all that it is compared with.
TEST_CASE("findings: threads that wait for Python's global lock, and for processors", "[findings]") {
  FindingsRun run;
  run.log.info(log::InfoKey::Cpus, "allowed=2");
  run.wait(run.interpreter(run.train(14)), "pthread_cond_timedwait", "lock", 100, 500 * kMs);
  run.log.cpu(run.train(14), 50, 500 * kMs);
  run.queue(250);
  const auto found = run.look("lock-contention");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.5 * 0.75 / 2));
}

// Catches threads that have nothing to do taken for threads that are kept from it.
TEST_CASE("findings: threads that wait for work", "[findings]") {
  FindingsRun run;
  run.log.thread(1);
  run.log.cpu(run.train(20), 100, 1'000 * kMs);
  const auto get = run.line(run.train(14), run.code("Queue.get", "/usr/lib/python3.11/queue.py"), 50);
  const auto idle = run.line(get, run.code("Condition.wait", "/usr/lib/python3.11/threading.py"), 60);
  run.wait(run.interpreter(idle), "sem_wait", "lock", 10, 900 * kMs);
  run.wait(run.train(16), "pthread_cond_wait", "lock", 10, 1'900 * kMs, 1);  // a pool of native code
  CHECK(run.look("lock-contention").empty());
}

TEST_CASE("findings: fresh memory over and over", "[findings]") {
  const bool half = GENERATE(false, true);
  FindingsRun run;
  log::ThreadUseRecord record{};
  record.minor_faults = half ? 620'000 : 1'000'000;
  run.use({record});
  run.log.cpu(run.train(20), 100, 1'000 * kMs);
  log::HeapWords blocks =
      test::memory_words(50 * log::kCountUnit, 4ULL << 30, 50 * log::kCountUnit, 4ULL << 30, 0, 1, 50);
  blocks.largest = 80 << 20;
  run.log.memory(log::RecordClass::Heap, run.train(27), blocks);
  const auto found = run.look("page-faults");
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().title, "got from the kernel and given back"));
  // Of what faults may take at most, not more than was computed at all.
  CHECK(found.front().saves == Approx(half ? 0.496 : 0.5));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{27});
}

namespace {

// A million pages that the kernel brought in so much time. Half of them are of blocks that were there before; `at`
// allocates the others, 2 GiB, in large blocks that it frees.
void churn(FindingsRun& run, std::uint64_t system_ms, std::uint32_t at) {
  log::ThreadUseRecord record{};
  record.minor_faults = 1'000'000;
  record.system_ns = system_ms * kMs;
  record.known = log::kKnowsSystem;
  run.use({record});
  run.log.cpu(run.train(20), 100, 1'000 * kMs);
  log::HeapWords blocks =
      test::memory_words(50 * log::kCountUnit, 2ULL << 30, 50 * log::kCountUnit, 2ULL << 30, 0, 1, 50);
  blocks.largest = 80 << 20;
  run.log.memory(log::RecordClass::Heap, at, blocks);
}

}  // namespace

// Catches a fixed price for each page: what the kernel took is in its own account, with what its calls took.
TEST_CASE("findings: fresh memory costs what the kernel took", "[findings]") {
  const bool half = GENERATE(false, true);
  FindingsRun run;
  churn(run, half ? 500 : 900, run.train(27));
  const auto found = run.look("page-faults");
  if (half) {
    CHECK(found.empty());
  } else {
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.9 / 2 * 524'288 / 1'000'000).epsilon(0.01));
    CHECK(has(found.front().seen, "524,288 page faults brought pages of fresh memory, 2.00 GiB in all."));
  }
}

// Catches the backward pass named for arrays of which the forward pass made it allocate as many.
TEST_CASE("findings: fresh memory of a backward pass", "[findings]") {
  FindingsRun run;
  const std::string file = (run.directory() / "fit.py").string();
  std::ofstream(file) << "def fit():\n    loss = net(x)\n    loss.backward()\n";
  const auto line = [&](std::uint32_t number) { return run.line(0, run.code("fit", file), number); };
  churn(run, 900, line(3));
  log::HeapWords blocks =
      test::memory_words(25 * log::kCountUnit, 1ULL << 30, 25 * log::kCountUnit, 1ULL << 30, 0, 1, 25);
  blocks.largest = 80 << 20;
  run.log.memory(log::RecordClass::Heap, line(2), blocks);
  const auto found = run.look("page-faults");
  REQUIRE(found.size() == 1);
  REQUIRE(found.front().places.size() == 2);
  CHECK(found.front().places[0].line == 2);
  CHECK(found.front().places[1].line == 3);
}

// Catches a share of short steps that is some milliseconds.
TEST_CASE("findings: fresh memory that costs little", "[findings]") {
  const auto [step_ms, system_ms, found] =
      GENERATE(table<std::uint64_t, std::uint64_t, std::size_t>({{20, 100, 0}, {180, 900, 1}}));
  FindingsRun run;
  run.steps(10, step_ms);
  churn(run, system_ms, run.train(27));
  CHECK(run.look("page-faults").size() == found);
}

// Catches what happened outside of a window, or while a program with steps began, taken for the cost of its steps.
TEST_CASE("findings: fresh memory outside of what was recorded, of imports and of the driver", "[findings]") {
  const std::string how = GENERATE("a window", "an import", "the driver", "the program");
  FindingsRun run;
  run.steps(10, 180);
  if (how == "a window") run.log.info(log::InfoKey::Window, "open=5\nclose=9");
  auto at = run.train(27);
  if (how == "an import") at = run.line(at, run.code("_find_and_load", "<frozen importlib._bootstrap>"), 100);
  if (how == "the driver") at = run.log.node(at, run.log.native(run.log.module("/usr/lib/libcuda.so.1"), 0x100));
  churn(run, 900, at);
  INFO(how);
  CHECK(run.look("page-faults").size() == (how == "the program" ? 1 : 0));
}

// Catches what comes from workers, and is copied ahead of the program's thread, told as memory that the program gets.
TEST_CASE("findings: fresh memory of batches that come from workers", "[findings]") {
  const std::string how = GENERATE("from a worker", "by the thread that pins", "the program");
  FindingsRun run;
  auto at = run.train(27);
  if (how == "from a worker")
    at = run.line(at, run.code("rebuild_storage_fd", "/v/torch/multiprocessing/reductions.py"), 545);
  churn(run, 900, at);
  if (how == "by the thread that pins") std::strcpy(run.log.thread(0).name, "pt_data_pin");
  INFO(how);
  CHECK(run.look("page-faults").size() == (how == "the program" ? 1 : 0));
}

// What is half of a child's life is little of a run that has many of them.
TEST_CASE("findings: pages that storage brings to one child", "[findings]") {
  const auto [life_ms, found] = GENERATE(table<std::uint64_t, std::size_t>({{160, 0}, {1'900, 1}}));
  FindingsRun run, child;
  child.becomes_child(501, 500, 10, life_ms);
  log::ThreadUseRecord record{};
  record.major_faults = 5'000;
  child.use({record});
  child.log.header.cpu_ns = life_ms / 2 * kMs;
  child.log.cpu(child.train(20), 10, life_ms / 2 * kMs);
  child.write_into(run);
  CHECK(run.look("page-faults").size() == found);
}

TEST_CASE("findings: pages that storage brings", "[findings]") {
  FindingsRun run;
  log::ThreadUseRecord record{};
  record.major_faults = 5'000;
  run.use({record});
  run.log.cpu(run.train(20), 100, 1'000 * kMs);
  const auto found = run.look("page-faults");
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().seen, "5,000 page faults waited for storage"));
  CHECK(found.front().saves == Approx(0.5));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{20});
}

TEST_CASE("findings: the page faults of any program", "[findings]") {
  FindingsRun run;
  log::ThreadUseRecord record{};
  record.minor_faults = 100'000;
  record.major_faults = 50;
  run.use({record});
  run.log.cpu(run.train(20), 100, 1'000 * kMs);
  CHECK(run.look("page-faults").empty());
}

namespace {

constexpr const char* kCollectives = "/usr/lib/python3/dist-packages/torch/distributed/distributed_c10d.py";

// Rank `rank` of two: ten steps of 100 ms, of which it waited in all_reduce() at line 41 and computed at line 30, and
// at line 35 what only a slow rank does.
void write_rank(FindingsRun& run, std::int32_t rank, std::uint64_t waiting_ms, std::uint64_t more_ms) {
  run.log.header.rank = rank;
  run.steps(10, 100);
  const auto set_up = run.line(run.train(2), run.code("init_process_group", kCollectives), 90);
  run.wait(set_up, "recv", "network", 1, 400 * kMs);
  const auto collective = run.line(run.train(41), run.code("all_reduce", kCollectives), 20);
  run.wait(collective, "pthread_cond_wait", "lock", 10, waiting_ms * kMs);
  run.log.cpu(run.train(30), 10, (1'000 - waiting_ms - more_ms) * kMs);
  if (more_ms > 0) run.log.cpu(run.train(35), 10, more_ms * kMs);
}

struct TwoRanks {
  TwoRanks(std::uint64_t waits_0, std::uint64_t waits_1, std::uint64_t more_1 = 0) {
    write_rank(first, 0, waits_0, 0);
    FindingsRun second;
    second.log.header.pid = 501;
    second.log.header.log_id = 501;
    second.log.header.start_realtime_ns += kMs;
    write_rank(second, 1, waits_1, more_1);
    second.log.write(first.directory() / "501.1.proflog");
  }
  FindingsRun first;
};

}  // namespace

// Catches waiting for a slow rank taken for slow communication.
TEST_CASE("findings: one rank that is slower than the other", "[findings]") {
  TwoRanks ranks(400, 50, 350);
  const auto found = ranks.first.look("slow-rank");
  REQUIRE(found.size() == 1);
  CHECK(found.front().title == "Rank 1 is slower than the others, which wait for it");
  CHECK(has(found.front().seen, "rank 1 took 95.0 ms a step, the other one 60.0 ms"));
  CHECK(found.front().saves == Approx(0.35));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{35});
  CHECK(ranks.first.look("communication").empty());
}

TEST_CASE("findings: ranks that wait for communication", "[findings]") {
  TwoRanks ranks(300, 320);
  const auto found = ranks.first.look("communication");
  REQUIRE(found.size() == 1);
  CHECK(
      has(found.front().seen, "Of 2 ranks the one that waits least, rank 0, spent 30.0 % of its time in collectives"));
  CHECK(has(found.front().seen, "30.0 ms of 100 ms a step"));
  CHECK(found.front().saves == Approx(0.3));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{41});
  CHECK(ranks.first.look("slow-rank").empty());
}

TEST_CASE("findings: half of what ranks wait, and of what one of them does more", "[findings]") {
  TwoRanks communicate(150, 160), slow(225, 50, 175);
  const auto waits = communicate.first.look("communication"), late = slow.first.look("slow-rank");
  REQUIRE(waits.size() == 1);
  CHECK(waits.front().saves == Approx(0.15));
  REQUIRE(late.size() == 1);
  CHECK(late.front().saves == Approx(0.175));
}

TEST_CASE("findings: ranks that hardly communicate", "[findings]") {
  TwoRanks ranks(60, 50);
  CHECK(ranks.first.look("communication").empty());
  CHECK(ranks.first.look("slow-rank").empty());
}

TEST_CASE("findings: a program that is not distributed", "[findings]") {
  FindingsRun run;
  run.steps(10, 100);
  const findings::Outcome outcome = run.look();
  CHECK(FindingsRun::why_not(outcome, "slow-rank") == "the run has no two ranks of a distributed program");
}

// A GPU that was at work for a second, of which collectives took 400 ms and other kernels 500: together in 700 ms.
TEST_CASE("findings: collectives beside which a GPU computes nothing", "[findings]") {
  FindingsRun run;
  run.device(1'000, 700);
  run.kernel(run.api(run.train(50), "cudaLaunchKernel", 10, 100 * kUs), "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 10,
             400 * kMs);
  run.kernel(run.api(run.train(51), "cudaLaunchKernel", 10, 100 * kUs), "gemm", 10, 500 * kMs);
  const auto found = run.look("communication");
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().seen, "Collectives took 40.0 % of the time of the GPUs"));
  CHECK(has(found.front().seen, "at least 20.0 % of that time they took alone"));
  CHECK(found.front().saves == Approx(0.2));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{50});
}

TEST_CASE("findings: collectives that other kernels run beside", "[findings]") {
  FindingsRun run;
  run.device(1'000, 700);
  run.kernel(run.train(50), "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 10, 400 * kMs);
  run.kernel(run.train(51), "gemm", 10, 650 * kMs);
  CHECK(run.look("communication").empty());
}
