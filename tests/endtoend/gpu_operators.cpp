// Time on a GPU by PyTorch's operators, and operators in stacks.
#include <cmath>

#include "tests/support/catch.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/torch_run.hpp"

using namespace prof::test;

namespace {

constexpr int kOperatorSteps = 30;

Command train(const TempDir& temp) {
  return with_gpu(Command({kPython, (source_dir() / "tests/victims/python/torch_gpu_ops.py").string(),
                           victim_path("x").parent_path().string(), std::to_string(kOperatorSteps)}),
                  temp / "ledger")
      .limit(120);
}

long long operator_ns(const Json& value) { return std::llround(value.get<double>() * 1e9); }

const Json* op_of(const Report& report, const std::string& name) {
  for (const Json& op : report.section("ops")) {
    if (op.at("name") == name) return &op;
  }
  return nullptr;
}

}  // namespace

// Catches time that is booked on the outermost operator, on an operator that has ended, or twice; and work outside of
// operators that is counted in one.
TEST_CASE("time on the GPU is that of the operator that launched it, and of those around it") {
  if (!has_module("torch")) return skip_without("torch");
  TempDir temp;
  const Outcome run = train(temp).profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  const Ledger ledger(temp / "ledger");
  REQUIRE(ledger.kernels("forward_400us").count == 3 * kOperatorSteps);
  REQUIRE(ledger.kernels("gemm_20us").count == 4 * kOperatorSteps);
  const long long third = (ledger.kernels("forward_400us").total_ns + ledger.kernels("gemm_20us").total_ns * 3 / 4) / 3;
  const auto times = [&](const std::string& name) {
    const Json* op = op_of(report, name);
    REQUIRE(op != nullptr);
    return std::pair(operator_ns(op->at("self_gpu_s")), operator_ns(op->at("gpu_s")));
  };
  CHECK(times("gpu::inner") == std::pair(2 * third, 2 * third));
  CHECK(times("gpu::outer") == std::pair(third, 3 * third));
  CHECK(times("train") == std::pair(0LL, 3 * third));
  CHECK(times("aten::add") == std::pair(0LL, 0LL));
  const auto flops = [&](const std::string& name) {
    const Json& op = *op_of(report, name);
    return std::pair(op.at("self_library_flops").get<long long>(), op.at("library_flops").get<long long>());
  };
  CHECK(flops("gpu::inner") == std::pair(480LL * kOperatorSteps, 480LL * kOperatorSteps));
  CHECK(flops("gpu::outer") == std::pair(240LL * kOperatorSteps, 720LL * kOperatorSteps));
  CHECK(flops("train") == std::pair(0LL, 720LL * kOperatorSteps));
  long long self = 0;
  for (const Json& op : report.section("ops")) self += operator_ns(op.at("self_gpu_s"));
  CHECK(self == 3 * third);
  // The module that ran them has it, too; it is told apart from what was launched outside.
  const Json& modules = report.section("modules");
  REQUIRE(modules.size() == 1);
  CHECK(modules[0].at("path") == Json::array({"Net"}));
  CHECK(operator_ns(modules[0].at("gpu_s")) == 3 * third);
}
