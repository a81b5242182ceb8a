// Processes with a GPU that end, multiply and are killed.
#include <signal.h>
#include <time.h>

#include <thread>

#include "tests/support/catch.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

Command ends(const std::string& how, const TempDir& temp) {
  return with_gpu(Command::victim("gpu_ends", {how}), temp / "ledger");
}

Report report_of(const std::filesystem::path& run, long pid) { return Report::of(run, {"--pid", std::to_string(pid)}); }

}  // namespace

TEST_CASE("device work is there however a process ends") {
  for (const char* how : {"exit", "_exit", "quick"}) {
    INFO(how);
    TempDir temp;
    const Outcome outcome = ends(how, temp).profiled(temp / "run").run();
    INFO(outcome);
    REQUIRE(outcome.exit_code == 7);
    CHECK(outcome.err.empty());
    const Report report = Report::of(temp / "run");
    check_gpu_truth(report, Ledger(temp / "ledger"));
    CHECK(reported_kernels(report, "work_200us").count == 40);
  }
}

TEST_CASE("device work is there after an exec, in both images") {
  TempDir temp;
  const Outcome outcome = ends("exec", temp).profiled(temp / "run").run();
  INFO(outcome);
  REQUIRE(outcome.exit_code == 7);
  const Report report = Report::of(temp / "run");
  const Ledger ledger(temp / "ledger");
  CHECK(ledger.of("misuse").empty());
  check_gpu_truth(report, ledger);
  CHECK(reported_kernels(report, "work_200us").count == 80);
}

// Catches a profiler that hangs at exit, or that makes the device's unfinished work out to be done.
TEST_CASE("a program that ends while the device is at work ends as alone") {
  TempDir temp;
  const BothWays both = run_both_ways(ends("asynchronous", temp), temp / "run");
  check_same(both);
  const Ledger ledger(temp / "ledger", both.with.pid);
  const Tally seen = reported_kernels(Report::of(temp / "run"), "work_200us");
  CHECK(seen.count <= 40);
  CHECK(seen.count >= ledger.kernels().count);
}

// Catches a CUPTI that is used in a child where it does not work: it hangs there.
TEST_CASE("a child of a process with a GPU, where CUDA fails, does as alone") {
  TempDir temp;
  const BothWays both = run_both_ways(ends("child-cannot", temp), temp / "run");
  check_same(both);
  REQUIRE(both.with.ok());
  const Ledger ledger(temp / "ledger", both.with.pid);
  CHECK(Ledger(temp / "ledger").of("misuse").empty());
  check_gpu_truth(report_of(temp / "run", both.with.pid), ledger);
  // The child's two calls failed; its parent's forty launches are not told again.
  long failed = 0;
  for (const Json& process : Report::of(temp / "run").processes("gpu_ends")) {
    const long pid = process.at("pid").get<long>();
    if (pid == both.with.pid) continue;
    const Report child = report_of(temp / "run", pid);
    CHECK(reported_calls(child, "cudaLaunchKernel").count == 1);
    failed += reported_calls(child, "cudaLaunchKernel").failed;
    failed += reported_calls(child, "cudaDeviceSynchronize").failed;
    CHECK(child.section("kernels").is_null());
  }
  CHECK(failed == 2);
}

TEST_CASE("children without CUDA of a process with a GPU end at once, and the parent loses nothing") {
  TempDir temp;
  const Outcome outcome = check_survives(ends("child-without", temp), temp / "run");
  const Ledger ledger(temp / "ledger");
  CHECK(ledger.of("misuse").empty());
  check_gpu_truth(Report::of(temp / "run"), ledger);
  CHECK(outcome.wall_s < 5);
}

TEST_CASE("parent and children that each begin with CUDA after the fork have each their own books") {
  TempDir temp;
  const Outcome outcome = check_survives(ends("children", temp), temp / "run");
  const Ledger all(temp / "ledger");
  CHECK(all.of("misuse").empty());
  int images = 0;
  for (const Json& process : Report::of(temp / "run").processes("gpu_ends")) {
    const long pid = process.at("pid").get<long>();
    INFO("process " << pid);
    check_gpu_truth(report_of(temp / "run", pid), Ledger(temp / "ledger", pid));
    ++images;
  }
  CHECK(images == 4);
  check_gpu_truth(Report::of(temp / "run"), all);
}

// Catches records that lie in CUPTI's buffers, or in memory of our own, until somebody asks for them.
TEST_CASE("of a killed GPU program no more than the last second is missing") {
  TempDir temp;
  Running running = ends("kill", temp).profiled(temp / "run").start();
  std::this_thread::sleep_for(std::chrono::milliseconds(3500));
  running.kill(SIGKILL);
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  const long long killed = t.tv_sec * 1'000'000'000LL + t.tv_nsec;
  REQUIRE(running.wait().signal == SIGKILL);
  const Ledger ledger(temp / "ledger");
  long long until = 0, all = 0;
  for (const Json& work : ledger.of("work")) {
    ++all;
    if (work.at("end").get<long long>() < killed - 1'000'000'000) ++until;
  }
  REQUIRE(until > 100);
  const Report report = Report::of(temp / "run");
  const Tally seen = reported_kernels(report, "work_200us");
  CHECK(seen.count >= until);
  CHECK(seen.count <= all + 1);  // one may have ended and not be written yet
  CHECK(seen.total_ns == seen.count * 200'000);
  const Tally calls = reported_calls(report, "cudaLaunchKernel");
  CHECK(calls.count >= all);
}
