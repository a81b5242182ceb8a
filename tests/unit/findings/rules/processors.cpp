// The rules about processors: threads that want more of them than there are, and operators that leave them idle.
#include <fstream>
#include <string>
#include <vector>

#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::lines_of;

namespace {

// Two seconds on two processors; the threads of a pool beside the main one each computed and were ready so long. Of
// what they computed, so much was the library's own.
void compute(FindingsRun& run, std::uint32_t pool, std::uint64_t cpu_ms, std::uint64_t ready_ms,
             std::uint64_t spins_ms = 0) {
  run.log.info(log::InfoKey::Cpus, "allowed=2");
  std::vector<log::ThreadUseRecord> uses(1 + pool);
  const auto library = run.log.module("/usr/lib/libgomp.so.1");
  for (std::uint32_t slot = 0; slot <= pool; ++slot) {
    log::ThreadRecord& thread = run.log.thread(slot);
    thread.cpu_ns = cpu_ms * kMs;
    if (slot > 0) thread.start_routine = log::native_frame(library, 0x400);
    uses[slot].run_queue_ns = ready_ms * kMs;
    const std::uint64_t spins = slot > 0 ? spins_ms : 0, works = cpu_ms - spins;
    run.log.cpu(run.train(22), works / 10, works * kMs, slot);
    if (spins > 0) run.log.cpu(run.log.node(0, run.log.native(library, 0x500)), spins / 10, spins * kMs, slot);
  }
  run.use(uses);
}

}  // namespace

TEST_CASE("findings: more threads that compute than processors, and spin while they wait", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    FindingsRun run;
    compute(run, 3, 900, 900, 300 / half);
    const auto found = run.look("oversubscribed-processors");
    REQUIRE(found.size() == 1);
    CHECK(has(found.front().seen, "ready to run on 3.6 processors on average, and there were 2: 50.0 %"));
    CHECK(has(found.front().seen, "3 threads of them belong to pools"));
    if (half == 1) CHECK(has(found.front().seen, "They spun for 900 ms of CPU time (25.0 %) until others were done."));
    CHECK(has(found.front().advice, "OMP_NUM_THREADS=2"));
    CHECK(found.front().saves == Approx(0.25 / static_cast<double>(half)));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{22});
  }
}

// Catches threads that take turns at no cost.
TEST_CASE("findings: more threads that compute than processors, none of which spins", "[findings]") {
  for (const std::uint64_t spins : {0, 40}) {
    FindingsRun run;
    compute(run, 3, 900, 900, spins);
    CHECK(run.look("oversubscribed-processors").empty());
  }
}

// Catches a pool that wakes its threads in turns taken for other programs' work; and the line that asks for it.
TEST_CASE("findings: a pool of many more threads than processors that leaves them idle at times", "[findings]") {
  for (const std::uint32_t pool : {3, 7}) {
    FindingsRun run;
    const std::string file = run.directory() / "train.py";
    std::ofstream(file) << "import torch\ndef configure():\n    torch.set_num_threads(8)\ntorch.set_num_threads(1)\n";
    run.log.info(log::InfoKey::Cpus, "allowed=2");
    std::vector<log::ThreadUseRecord> uses(1 + pool);
    const auto library = run.log.module("/usr/lib/libgomp.so.1");
    for (std::uint32_t slot = 0; slot <= pool; ++slot) {
      log::ThreadRecord& thread = run.log.thread(slot);
      thread.cpu_ns = 2'600 / (1 + pool) * kMs;  // of 1.3 processors
      if (slot > 0) thread.start_routine = log::native_frame(library, 0x400);
      uses[slot].run_queue_ns = 3'200 / (1 + pool) * kMs;
      const auto at =
          slot > 0 ? run.log.node(0, run.log.native(library, 0x500)) : run.line(0, run.code("forward", file, 1), 9);
      run.log.cpu(at, 260 / (1 + pool), 2'600 / (1 + pool) * kMs, slot);
    }
    run.use(uses);
    const auto found = run.look("oversubscribed-processors");
    REQUIRE(found.size() == (pool == 7 ? 1 : 0));
    if (found.empty()) continue;
    CHECK(found.front().places.front().line == 3);
    CHECK(found.front().places.front().function == "configure");
  }
}

TEST_CASE("findings: processors that others use", "[findings]") {
  FindingsRun run;
  compute(run, 1, 1'000, 980, 500);  // two threads for two processors
  CHECK(run.look("oversubscribed-processors").empty());
}

namespace {

void operators(FindingsRun& run, std::uint64_t calls, std::uint64_t ns) {
  run.count_operator("aten::mm", "forward", calls, ns);
}

}  // namespace

TEST_CASE("findings: large operators on one thread", "[findings]") {
  FindingsRun run;
  compute(run, 0, 1'900, 0);
  operators(run, 100, 1'800 * kMs);
  const auto found = run.look("idle-processors");
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().seen, "90.0 % of the run's time went by in operators of 1.00 ms and more each"));
  CHECK(found.front().saves == Approx(0.75 * 0.9 * (1 - 1 / 2.05)).epsilon(0.01));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{22});
}

TEST_CASE("findings: operators that use the processors, or are too small to", "[findings]") {
  SECTION("a pool") {
    FindingsRun run;
    compute(run, 1, 950, 0);
    operators(run, 100, 1'800 * kMs);
    CHECK(run.look("idle-processors").empty());
  }
  SECTION("products by a BLAS of one thread") {
    FindingsRun run;
    compute(run, 0, 1'900, 0);
    const test::NativeLibrary blas("extern \"C\" void sgemm_() {}\n", "libblas.so");
    const auto product = run.log.native(run.log.module(blas.path()), blas.in("sgemm_"));
    run.log.cpu(run.log.node(run.train(23), product), 100, 1'000 * kMs);
    run.log.thread(0).cpu_ns += 1'000 * kMs;
    operators(run, 100, 1'800 * kMs);
    CHECK(run.look("idle-processors").empty());
  }
  SECTION("small ones") {
    FindingsRun run;
    compute(run, 0, 1'900, 0);
    operators(run, 2'000, 1'800 * kMs);
    CHECK(run.look("idle-processors").empty());
  }
  SECTION("half of the time") {
    FindingsRun run;
    compute(run, 0, 1'900, 0);
    operators(run, 100, 1'300 * kMs);
    CHECK(run.look("idle-processors").empty());
  }
  SECTION("no processor is free") {
    FindingsRun run;
    compute(run, 0, 1'000, 900);
    operators(run, 100, 1'800 * kMs);
    CHECK(run.look("idle-processors").empty());
  }
}
