// What a program marks for its profiler, on the fake GPU.
#include <csignal>
#include <filesystem>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/log_tree.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof;
using namespace prof::test;

namespace {

// What one log says of the launches of kernels, and of the kernels that a device ran.
struct Counted {
  std::uint64_t launches = 0, kernels = 0;
};

Counted counted(const Outcome& run, const std::filesystem::path& directory) {
  for (const auto& path : logs_in(directory)) {
    const LogTree log(path);
    if (log.file().header.pid != static_cast<std::uint32_t>(run.pid)) continue;
    Counted found;
    for (const auto& row : log.rows<log::ApiWords>(log::RecordClass::Api)) {
      if (row.below("CUDA runtime/cudaLaunchKernel")) found.launches += row.words.calls;
    }
    const std::string streams = "(" + std::to_string(static_cast<int>(log::SpecialFrame::Streams)) + ")";
    for (const auto& row : log.rows<log::DeviceWords>(log::RecordClass::Device)) {
      if (!row.below(streams)) found.kernels += row.words.count;
    }
    return found;
  }
  FAIL("no log of the program");
  return {};
}

}  // namespace

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
  const Counted found = counted(run, temp / "run");
  CHECK(found.launches == static_cast<std::uint64_t>(run.fact("inside")));
  CHECK(found.kernels == static_cast<std::uint64_t>(run.fact("inside")));
}

// Catches an end by signal that leaves the last records of the window with CUPTI.
TEST_CASE("a program that is ended with its window keeps the work of its devices") {
  TempDir temp;
  const Outcome run = with_gpu(Command::victim("gpu_work12", {"gaps", "20000"}), temp / "ledger")
                          .set("PROF_DURATION", "0.7")
                          .set("PROF_STOP_ON_EXIT", "on")
                          .profiled(temp / "run")
                          .run();
  INFO(run);
  REQUIRE(run.signal == SIGTERM);
  const Counted found = counted(run, temp / "run");
  CHECK(found.launches > 20);
  // A kernel may start just before the window's end, its launch be counted just after it.
  CHECK(found.kernels + 2 >= found.launches);
  CHECK(found.kernels <= found.launches + 2);
}
