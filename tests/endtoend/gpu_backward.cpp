// Work of a GPU that another thread launches for the line of Python that waits for it, as PyTorch's backward() does.
#include <cmath>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/text_file.hpp"

using namespace prof::test;

namespace {

constexpr int kSteps = 40;

std::filesystem::path script() { return source_dir() / "tests/victims/cuda/gpu_backward.py"; }

// Device time of the kernels that a line launched, as the report has it.
long long launched_ns(const Report& report, const std::filesystem::path& file, int line) {
  long long total = 0;
  for (const Json& kernel : report.section("kernels")) {
    for (const Json& launcher : kernel.at("launched_by")) {
      const Json& site = launcher.at("site");
      if (site.at("line") == line && site.at("file") == file.string())
        total += std::llround(launcher.at("total_s").get<double>() * 1e9);
    }
  }
  return total;
}

}  // namespace

TEST_CASE("what the thread of an engine does for backward() is told by the line that called it") {
  TempDir temp;
  const Outcome outcome = with_gpu(Command({"/usr/bin/python3", script().string(),
                                            victim_path("x").parent_path().string(), std::to_string(kSteps)}),
                                   temp / "ledger")
                              .profiled(temp / "run")
                              .run();
  INFO(outcome);
  REQUIRE(outcome.ok());
  const int line = line_of(script(), "    graph[\"_engine_run_backward\"]");
  const Report report = Report::of(temp / "run");
  check_gpu_truth(report, Ledger(temp / "ledger", outcome.pid));
  CHECK(launched_ns(report, script(), line) == kSteps * 3 * 700'000LL);
  CHECK(report.cumtime("(backward thread)") > 0.5 * kSteps * 0.002);
  CHECK(report.cumtime("step") >= report.cumtime("(backward thread)"));

  const Report apart = Report::of(temp / "run", {"--no-backward-callers"});
  CHECK(launched_ns(apart, script(), line) == 0);
  CHECK(apart.cumtime("(backward thread)") == 0);
  CHECK(apart.tottime_of_all() == Approx(report.tottime_of_all()));
  CHECK(apart.allocated_bytes() == report.allocated_bytes());
}
