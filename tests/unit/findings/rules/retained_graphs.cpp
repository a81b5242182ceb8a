// The rule about backward passes that walk graphs again.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::kUs;

namespace {

// Two seconds, of which so many milliseconds go by below line 3, the call of backward(); its graph's functions ran so
// often, and the operators that made them about 100 times.
std::vector<findings::Finding> walked(std::uint64_t backward_ms, std::uint64_t backward,
                                      const char* call = "loss.backward(retain_graph=True)",
                                      const char* after = "optimizer.step()", bool evaluates = false) {
  FindingsRun run;
  const std::string path = run.directory() / "train.py";
  std::ofstream(path) << "def fit(model, data):\n  for x in data:\n    " << call << "\n    " << after << "\n";
  const std::uint32_t code = run.code("fit", path), line = run.line(0, code, 3);
  const auto library = run.log.native(run.log.module("/nowhere/torch/lib/libtorch_cpu.so"), 0x100);
  const auto in_torch =
      run.log.node(run.line(line, run.code("Tensor.backward", "/v/site-packages/torch/_tensor.py"), 400), library);
  run.log.cpu(in_torch, backward_ms / 10, backward_ms * kMs);
  run.log.cpu(run.train(41), 60, 600 * kMs);
  // As many operators of an evaluation make no graph.
  const auto operators = [&](std::uint32_t at) {
    run.log.cpu(run.log.node(at, run.log.named(log::NameKind::Operator, "aten::tanh")), 20, 200 * kMs);
  };
  operators(run.train(40));
  if (evaluates) {
    std::ofstream(run.directory() / "check.py") << "@torch.no_grad()\ndef check(model, x):\n  return model(x)\n";
    operators(run.line(0, run.code("check", run.directory() / "check.py"), 3));
  }
  constexpr const char* kTanh = "autograd::engine::evaluate_function: TanhBackward0";
  constexpr const char* kMul = "autograd::engine::evaluate_function: MulBackward0";
  run.count_operator("aten::tanh", "forward", 60, 60 * kUs);
  run.count_operator("aten::tanh_", "forward", 40, 40 * kUs);
  run.count_operator(kTanh, "backward", backward, backward * kUs);
  run.count_operator("aten::mul", "forward", 100, 100 * kUs);
  run.count_operator(kMul, "backward", 10'000, 10'000 * kUs);
  return run.look("retained-graphs");
}

}  // namespace

TEST_CASE("findings: backward passes that walk graphs again", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = walked(1'000 / half, 500);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.4 / static_cast<double>(half)));
    REQUIRE(found.front().places.size() == 1);
    CHECK(found.front().places.front().line == 3);
    CHECK(has(found.front().seen,
              "ran 500 times, and the operators that made them about 100 times: each was walked 5.0"));
  }
  CHECK(walked(1'000, 500, "loss.backward(\n        retain_graph = True)").size() == 1);
  CHECK(walked(1'000, 500, "loss.backward(retain_graph=True)", "clip_grad_norm_(model)").size() == 1);
}

// Catches operators of an evaluation, which make no graphs, counted for those that do.
TEST_CASE("findings: backward passes that walk graphs again, beside an evaluation", "[findings]") {
  const auto found = walked(1'000, 500, "loss.backward(retain_graph=True)", "optimizer.step()", true);
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().seen, "about 50 times: each was walked 10.0 times"));
}

// Catches two losses of one graph, and gradients that are needed one by one.
TEST_CASE("findings: backward passes that walk each graph as often as they must", "[findings]") {
  CHECK(walked(1'000, 200).empty());
  CHECK(walked(1'000, 500, "loss.backward()").empty());
  CHECK(walked(1'000, 500, "grads = torch.autograd.grad(y[i], x, retain_graph=True)").empty());
  CHECK(walked(1'000, 500, "loss.backward(retain_graph=True)", "kept = weight.grad.clone()").empty());
  CHECK(walked(100, 500).empty());
}
