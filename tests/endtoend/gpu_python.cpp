// Time and memory of a GPU by the lines of a Python program.
#include <cmath>

#include "tests/support/catch.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/interpreters.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/text_file.hpp"

using namespace prof::test;

namespace {

constexpr int kSteps = 40;

std::filesystem::path script() { return source_dir() / "tests/victims/cuda/gpu_train.py"; }

Command train(const std::filesystem::path& python, const TempDir& temp) {
  return with_gpu(
      Command({python.string(), script().string(), victim_path("x").parent_path().string(), std::to_string(kSteps)}),
      temp / "ledger");
}

long long gpu_ns(const Report& report, int line) {
  long long total = 0;
  for (const Json& row : report.section("lines")) {
    if (std::filesystem::path(row.at("file").get<std::string>()).filename() != script().filename()) continue;
    if (row.at("line").get<int>() == line && !row.at("gpu_s").is_null()) {
      total += std::llround(row.at("gpu_s").get<double>() * 1e9);
    }
  }
  return total;
}

// Sums a figure over the sites of a section that a line of the script called.
long long site_figure(const Report& report, const char* section, int line, const char* figure) {
  long long total = 0;
  for (const Json& site : report.section("device_memory").at(section).at("sites")) {
    for (const Json& frame : site.at("stack")) {
      if (frame.at("file").is_null() || frame.at("line").is_null()) continue;
      if (std::filesystem::path(frame.at("file").get<std::string>()).filename() != script().filename()) continue;
      if (frame.at("line").get<int>() == line) total += site.at(figure).get<long long>();
      break;  // the innermost frame of the script decides
    }
  }
  return total;
}

}  // namespace

// Catches device time that hangs on the library that launched it, on the line that waited for it, or on nothing.
TEST_CASE("device time is told by the Python line that launched it, in all versions of Python") {
  REQUIRE_FALSE(interpreters().empty());
  for (const Interpreter& python : interpreters()) {
    INFO("python " << python.version);
    TempDir temp;
    const BothWays both = run_both_ways(train(python.program, temp), temp / "run");
    check_same(both);
    REQUIRE(both.with.ok());
    const Report report = Report::of(temp / "run");
    check_gpu_truth(report, Ledger(temp / "ledger", both.with.pid));
    CHECK(gpu_ns(report, line_of(script(), "ops.ops_forward(2)")) == kSteps * 2 * 400'000LL);
    CHECK(gpu_ns(report, line_of(script(), "ops.ops_backward(1)")) == kSteps * 700'000LL);
    CHECK(gpu_ns(report, line_of(script(), "ops.ops_synchronize()")) == 0);
  }
}

// The allocator of a framework asks the driver rarely; what its tensors take, it tells through a hook.
TEST_CASE("tensors are told by the Python line that made them, segments by the one that needed more") {
  TempDir temp;
  const BothWays both = run_both_ways(train("/usr/bin/python3", temp), temp / "run");
  check_same(both);
  const Report report = Report::of(temp / "run");
  const int weights = line_of(script(), "self.weights = "),
            activation = line_of(script(), "activation = ops.ops_tensor"), kept = line_of(script(), "self.kept.append");
  CHECK(site_figure(report, "tensors", weights, "live_bytes") == 1'000'000);
  CHECK(site_figure(report, "tensors", activation, "allocated_bytes") == kSteps * 300'000LL);
  CHECK(site_figure(report, "tensors", activation, "live_bytes") == 0);
  CHECK(site_figure(report, "tensors", kept, "live_bytes") == kSteps * 5'000LL);
  // Each kept tensor of 5 kB takes the segment that the step's activation left: the next activation needs another.
  CHECK(site_figure(report, "segments", weights, "live_bytes") == 2 << 20);
  CHECK(site_figure(report, "segments", activation, "live_bytes") == kSteps * (2LL << 20));
  CHECK(site_figure(report, "segments", kept, "live_bytes") == 0);
}
