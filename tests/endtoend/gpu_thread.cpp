// The profiler's own thread in a process with a GPU: the program does not notice it, and is not kept by it.
#include <chrono>

#include "tests/support/catch.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

Command thread_victim(const char* how, const TempDir& temp) {
  return with_gpu(Command::victim("gpu_thread", {how}), temp / "ledger");
}

}  // namespace

// Catches a thread that blocks all signals: libc's own are how it changes the user of all threads, waiting for each; a
// thread that blocks none: it would handle the program's; and one that is not there any more after an exec that failed.
TEST_CASE("what concerns all threads of a GPU program goes on as without the profiler's") {
  for (const char* how : {"rights", "signals", "exec-fails", "threads"}) {
    INFO(how);
    TempDir temp;
    const BothWays both = run_both_ways(thread_victim(how, temp).limit(30), temp / "run");
    check_same(both);
    CHECK(both.with.ok());
    check_gpu_truth(Report::of(temp / "run"), Ledger(temp / "ledger", both.with.pid));
  }
}

// Catches a last flush that waits for all that the device was given: a process may end without that.
TEST_CASE("a kernel that never ends does not keep its program, and what came before it is there") {
  TempDir temp;
  const auto started = std::chrono::steady_clock::now();
  const Outcome outcome = thread_victim("endless", temp).profiled(temp / "run").limit(30).run();
  INFO(outcome);
  CHECK(outcome.ok());
  CHECK(std::chrono::steady_clock::now() - started < std::chrono::seconds(15));
  const Report report = Report::of(temp / "run");
  CHECK(reported_kernels(report, "work_200us").count == 5);
  CHECK(reported_kernels(report, "work_200us").total_ns == 5 * 200'000);
}

// Catches idle time that is charged to whoever is at hand: what the launching thread did meanwhile is known.
TEST_CASE("idle time of a GPU is split by what the thread did that ended it") {
  TempDir temp;
  const Outcome outcome = thread_victim("idle", temp).profiled(temp / "run").run();
  INFO(outcome);
  REQUIRE(outcome.ok());
  const Report report = Report::of(temp / "run");
  const Json& idle = report.section("idle");
  const double waiting = idle.at("waiting_s").get<double>(), total = idle.at("total_s").get<double>();
  const double ran = idle.at("native_s").get<double>() + idle.at("python_s").get<double>();
  // Ten times 30 ms of each; a busy machine only adds to it.
  CHECK(waiting >= 0.29);
  CHECK(ran >= 0.29);
  CHECK(total >= 0.6);
  CHECK(waiting < 0.8 * total);
  CHECK(ran < 0.8 * total);
  CHECK(idle.at("gaps").get<int>() == 20);
}
