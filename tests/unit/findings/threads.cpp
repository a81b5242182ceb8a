// The rules about what threads and ranks wait for, and about page faults, on cases that have the fault and on ones that
// have not.
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::kUs;
using test::lines_of;

namespace {

constexpr const char* kPython = "/nowhere/python3.11";

void wait(FindingsRun& run, std::uint32_t above, const char* function, const char* what, std::uint64_t calls,
          std::uint64_t ns, std::uint32_t slot = 0) {
  const auto node = run.log.node(above, run.log.named(log::NameKind::Wait, function, what));
  run.log.record(log::RecordClass::Wait, node, log::WaitWords{calls * log::kCountUnit, ns, 1}, slot);
}

// The interpreter's own code below a line.
std::uint32_t interpreter(FindingsRun& run, std::uint32_t above) {
  run.log.info(log::InfoKey::Python, std::string("path=") + kPython);
  return run.log.node(above, run.log.native(run.log.module(kPython), 0x100));
}

void use(FindingsRun& run, std::vector<log::ThreadUseRecord> records) {
  for (log::ThreadUseRecord& record : records) {
    record.known = log::kKnowsRunQueue | log::kKnowsFaults;
    record.noted_ns = 5;
  }
  run.log.thread_uses(records);
}

}  // namespace

TEST_CASE("findings: a thread that waits for a lock of Python's", "[findings]") {
  FindingsRun run;
  const auto code = interpreter(run, run.train(14));
  wait(run, code, "sem_wait", "lock", 40, 600 * kMs);
  run.log.cpu(run.train(20), 40, 400 * kMs);
  const auto found = run.look("lock-contention");
  REQUIRE(found.size() == 1);
  CHECK(found.front().title == "Threads wait for locks that others hold");
  CHECK(has(found.front().seen, "1 thread waited 40 times for locks, 600 ms in all: 60.0 %"));
  CHECK(found.front().saves == Approx(0.3));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{14});
}

TEST_CASE("findings: threads that wait for a mutex of native code", "[findings]") {
  FindingsRun run;
  run.log.thread(1);
  wait(run, run.train(14), "pthread_mutex_lock", "lock", 40, 300 * kMs);
  wait(run, run.train(15), "pthread_mutex_lock", "lock", 40, 800 * kMs, 1);
  run.log.cpu(run.train(20), 40, 400 * kMs);
  const auto found = run.look("lock-contention");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.4));  // what the one lost that waited most
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{15, 14});
}

TEST_CASE("findings: threads that wait for Python's global lock", "[findings]") {
  FindingsRun run;
  wait(run, interpreter(run, run.train(14)), "pthread_cond_timedwait", "lock", 100, 500 * kMs);
  run.log.cpu(run.train(14), 50, 500 * kMs);
  const auto found = run.look("lock-contention");
  REQUIRE(found.size() == 1);
  CHECK(found.front().title == "Threads wait for Python's global lock");
  CHECK(found.front().saves == Approx(0.25));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{14});
}

// Catches threads that have nothing to do taken for threads that are kept from it.
TEST_CASE("findings: threads that wait for work", "[findings]") {
  FindingsRun run;
  run.log.thread(1);
  run.log.cpu(run.train(20), 100, 1'000 * kMs);
  const auto get = run.line(run.train(14), run.code("Queue.get", "/usr/lib/python3.11/queue.py"), 50);
  const auto idle = run.line(get, run.code("Condition.wait", "/usr/lib/python3.11/threading.py"), 60);
  wait(run, interpreter(run, idle), "sem_wait", "lock", 10, 900 * kMs);
  wait(run, run.train(16), "pthread_cond_wait", "lock", 10, 1'900 * kMs, 1);  // a pool of native code
  CHECK(run.look("lock-contention").empty());
}

namespace {

// Two seconds on two processors; the threads of a pool beside the main one each computed and were ready so long.
void compute(FindingsRun& run, std::uint32_t pool, std::uint64_t cpu_ms, std::uint64_t ready_ms) {
  run.log.info(log::InfoKey::Cpus, "allowed=2");
  std::vector<log::ThreadUseRecord> uses(1 + pool);
  const auto start = log::native_frame(run.log.module("/usr/lib/libgomp.so.1"), 0x400);
  for (std::uint32_t slot = 0; slot <= pool; ++slot) {
    log::ThreadRecord& thread = run.log.thread(slot);
    thread.cpu_ns = cpu_ms * kMs;
    if (slot > 0) thread.start_routine = start;
    uses[slot].run_queue_ns = ready_ms * kMs;
    run.log.cpu(run.train(22), cpu_ms / 10, cpu_ms * kMs, slot);
  }
  use(run, uses);
}

}  // namespace

TEST_CASE("findings: more threads that compute than processors", "[findings]") {
  FindingsRun run;
  compute(run, 3, 900, 900);
  const auto found = run.look("oversubscribed-processors");
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().seen, "ready to run on 3.6 processors on average, and there were 2: 50.0 %"));
  CHECK(has(found.front().seen, "3 threads of them belong to pools"));
  CHECK(has(found.front().advice, "OMP_NUM_THREADS=2"));
  CHECK(found.front().saves == Approx(1 - 2 / 3.6));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{22});
}

TEST_CASE("findings: processors that others use", "[findings]") {
  FindingsRun run;
  compute(run, 1, 1'000, 980);  // two threads for two processors
  CHECK(run.look("oversubscribed-processors").empty());
}

namespace {

void operators(FindingsRun& run, std::uint64_t calls, std::uint64_t ns) {
  log::OperatorWords words{};
  words.calls = calls;
  words.total_ns = ns;
  words.min_ns = words.max_ns = ns / calls;
  const auto root = run.log.node(0, run.log.special(log::SpecialFrame::Operators));
  run.log.record(log::RecordClass::Operator,
                 run.log.node(root, run.log.named(log::NameKind::Operator, "aten::mm", "forward")), words);
}

}  // namespace

TEST_CASE("findings: large operators on one thread", "[findings]") {
  FindingsRun run;
  compute(run, 0, 1'900, 0);
  operators(run, 100, 1'800 * kMs);
  const auto found = run.look("idle-processors");
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().seen, "90.0 % of the time went by in operators of 100 us and more each"));
  CHECK(found.front().saves == Approx(0.9 * (1 - 1 / 2.05)).epsilon(0.01));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{22});
}

TEST_CASE("findings: operators that use the processors, or are too small to", "[findings]") {
  SECTION("a pool") {
    FindingsRun run;
    compute(run, 1, 950, 0);
    operators(run, 100, 1'800 * kMs);
    CHECK(run.look("idle-processors").empty());
  }
  SECTION("small ones") {
    FindingsRun run;
    compute(run, 0, 1'900, 0);
    operators(run, 1'000'000, 1'800 * kMs);
    CHECK(run.look("idle-processors").empty());
  }
  SECTION("no processor is free") {
    FindingsRun run;
    compute(run, 0, 1'000, 900);
    operators(run, 100, 1'800 * kMs);
    CHECK(run.look("idle-processors").empty());
  }
}

TEST_CASE("findings: fresh memory over and over", "[findings]") {
  FindingsRun run;
  log::ThreadUseRecord record{};
  record.minor_faults = 1'000'000;
  use(run, {record});
  run.log.cpu(run.train(20), 100, 1'000 * kMs);
  log::HeapWords blocks =
      test::memory_words(50 * log::kCountUnit, 4ULL << 30, 50 * log::kCountUnit, 4ULL << 30, 0, 1, 50);
  blocks.largest = 80 << 20;
  run.log.memory(log::RecordClass::Heap, run.train(27), blocks);
  const auto found = run.look("page-faults");
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().title, "got from the kernel and given back"));
  CHECK(found.front().saves == Approx(0.25));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{27});
}

TEST_CASE("findings: pages that storage brings", "[findings]") {
  FindingsRun run;
  log::ThreadUseRecord record{};
  record.major_faults = 5'000;
  use(run, {record});
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
  use(run, {record});
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
  wait(run, set_up, "recv", "network", 1, 400 * kMs);
  const auto collective = run.line(run.train(41), run.code("all_reduce", kCollectives), 20);
  wait(run, collective, "pthread_cond_wait", "lock", 10, waiting_ms * kMs);
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
