// What a program marks for its profiler, on the fake GPU.
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/log_tree.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof;
using namespace prof::test;

// Catches windows that end when the host has launched what is inside, calls that are counted outside, and devices whose
// records are told apart by the time at which they come.
TEST_CASE("cudaProfilerStart and Stop are the window's ends, for the host and for the devices") {
  TempDir temp;
  const Outcome run = with_gpu(Command::victim("gpu_window", {"3"}), temp / "ledger")
                          .set("PROF_CAPTURE_RANGE", "cudaProfilerApi")
                          .profiled(temp / "run")
                          .run();
  INFO(run);
  REQUIRE(run.ok());
  for (const auto& path : logs_in(temp / "run")) {
    const LogTree log(path);
    if (log.file().header.pid != static_cast<std::uint32_t>(run.pid)) continue;
    std::uint64_t launches = 0, kernels = 0;
    for (const auto& row : log.rows<log::ApiWords>(log::RecordClass::Api)) {
      if (row.below("CUDA runtime/cudaLaunchKernel")) launches += row.words.calls;
    }
    const std::string streams = "(" + std::to_string(static_cast<int>(log::SpecialFrame::Streams)) + ")";
    for (const auto& row : log.rows<log::DeviceWords>(log::RecordClass::Device)) {
      if (!row.below(streams)) kernels += row.words.count;
    }
    CHECK(launches == static_cast<std::uint64_t>(run.fact("inside")));
    CHECK(kernels == static_cast<std::uint64_t>(run.fact("inside")));
    return;
  }
  FAIL("no log of the program");
}
