// What a process without CUDA, or without a driver, sees of all that: nothing.
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

// Prints its threads and the libraries it has.
const char* const kLook =
    "import os\n"
    "print('threads', len(os.listdir('/proc/self/task')))\n"
    "maps = sorted({l.split()[-1] for l in open('/proc/self/maps') if '.so' in l})\n"
    "print('nvidia', [m for m in maps if 'cuda' in m or 'cupti' in m or 'nvidia' in m or 'fakegpu' in m])\n";

}  // namespace

TEST_CASE("a process that never touches CUDA has no thread, library or message more for it") {
  TempDir temp;
  // The libraries are there to be found; nobody asks for them.
  const Command command = with_gpu(Command({"/usr/bin/python3", "-c", kLook}), temp / "ledger", {12});
  const BothWays both = run_both_ways(command, temp / "run");
  check_same(both);
  CHECK(both.with.ok());
  CHECK(both.with.err.empty());
  CHECK(both.with.out == "threads 1\nnvidia []\n");
  CHECK_FALSE(std::filesystem::exists(temp / "ledger"));
  const Report report = Report::of(temp / "run");
  CHECK(report.section("api").is_null());
  CHECK(report.section("kernels").is_null());
  CHECK(report.section("copies").is_null());
}

TEST_CASE("a program with CUDA on a machine without a driver fails as alone") {
  for (const char* how : {"streams", "copies"}) {
    INFO(how);
    TempDir temp;
    const BothWays both =
        run_both_ways(with_gpu(Command::victim("gpu_work12", {how}), temp / "ledger", {12}, false), temp / "run");
    check_same(both);
    CHECK(both.with.exit_code == 99);
    CHECK(both.with.err == both.alone.err);
    const Report report = Report::of(temp / "run");
    check_gpu_truth(report, Ledger(temp / "ledger", both.with.pid), false);
  }
}

TEST_CASE("a GPU program prints and ends under the agent as alone, and keeps its own threads") {
  for (const char* how : {"streams", "threads", "copies", "graphs", "memory", "failures"}) {
    INFO(how);
    TempDir temp;
    const BothWays both =
        run_both_ways(with_gpu(Command::victim("gpu_work12", {how, "30"}), temp / "ledger"), temp / "run");
    check_same(both);
    CHECK(both.with.ok());
    CHECK(both.with.err.empty());
  }
}
