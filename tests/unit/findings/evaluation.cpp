// Which lines of a source compute without gradients.
#include "report/findings/evaluation.hpp"

#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/unit/support/findings_run.hpp"

using prof::findings::evaluates;
using prof::findings::trains;
using prof::findings::without_gradients;

TEST_CASE("findings: lines that compute without gradients", "[findings]") {
  const std::vector<std::string> lines{
      "@torch.no_grad()",                            // 1
      "def test(net):",                              // 2
      "    for x in data:",                          // 3
      "        net(x)",                              // 4
      "",                                            // 5
      "def fit(net):",                               // 6
      "    net.train()",                             // 7
      "    with torch.inference_mode():  # of all",  // 8
      "",                                            // 9
      "        for x in data:",                      // 10
      "            net(x)",                          // 11
      "    loss = net(x)",                           // 12
      "    with torch.no_grad(): net(x)",            // 13
      "    # with torch.no_grad():",                 // 14
      "    loss = net(x)",                           // 15
      "    with open(path):",                        // 16
      "        net(x)",                              // 17
  };
  for (const std::size_t number : {3, 4, 8, 10, 11, 13}) {
    INFO(number);
    CHECK(without_gradients(lines, number));
  }
  for (const std::size_t number : {0, 7, 12, 14, 15, 17, 18}) {
    INFO(number);
    CHECK_FALSE(without_gradients(lines, number));
  }
}

// Catches an agent that acts without gradients, and a target that is computed without, taken for evaluation.
TEST_CASE("findings: lines that evaluate a model", "[findings]") {
  const std::vector<std::string> lines{
      "@torch.no_grad()",             // 1
      "def score(self):",             // 2
      "    self.model.eval()",        // 3
      "",                             // 4
      "    n = self.model(self.x)",   // 5
      "    self.model.train()",       // 6
      "@torch.no_grad()",             // 7
      "def act(self, state):",        // 8
      "    return self.model(state)"  // 9
  };
  for (const std::size_t number : {5, 9}) CHECK_FALSE(trains(lines, number));
  CHECK(trains({"def fit(self):", "    loss = self.loss(x)", "    loss.backward()"}, 2));
  for (const std::size_t number : {3, 5, 6}) CHECK(evaluates(lines, number));
  for (const std::size_t number : {0, 1, 4, 9, 10}) CHECK_FALSE(evaluates(lines, number));
}

namespace {

using namespace prof;
using test::FindingsRun;
using test::kMs;

// Fifty steps of 10 ms of forward pass and so much evaluation, in each of them or in every tenth, or in none (0) but
// between them; line 9 asks for it.
std::vector<findings::Finding> evaluated(std::uint64_t ms, std::uint64_t every,
                                         const char* sets = "self.model.eval()") {
  FindingsRun run;
  const std::string file = run.directory() / "fit.py";
  std::ofstream(file) << "@torch.no_grad()\ndef score(self):\n    " << sets
                      << "\n    return self.model(self.x)\n\ndef epoch(self):\n    for x in data:\n"
                         "        self.update(x)\n        self.score()\n\n"
                         "def update(self, x):\n    self.loss(x).backward()\n";
  test::write_steps(run, 50, [&](std::uint64_t number, log::StepRecord& step) {
    if (every == 0 || number % every != 0) return;
    step.ns += every * ms * kMs;
    step.cpu_ns += every * ms * kMs;
    step.sum.parts_ns[static_cast<std::size_t>(log::StepPart::Forward)] += every * ms * kMs;
  });
  run.log.header.end_monotonic_ns = run.log.header.start_monotonic_ns + (700 + 50 * ms) * kMs;
  const auto asks = run.line(0, run.code("epoch", file), 9);
  const auto scores = run.line(asks, run.code("score", file), 4);
  run.log.cpu(test::below(run, scores, "_call_impl", "/v/site-packages/torch/nn/modules/module.py"), 5 * ms,
              50 * ms * kMs);
  const auto updates = run.line(run.line(0, run.code("epoch", file), 8), run.code("update", file), 12);
  run.log.cpu(test::below(run, updates, "backward", "/v/site-packages/torch/_tensor.py"), 50, 500 * kMs);
  return run.look("evaluation-in-steps");
}

}  // namespace

TEST_CASE("findings: a model that is evaluated in each step", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = evaluated(20 / half, 1);
    REQUIRE(found.size() == 1);
    const double ms = 20 / static_cast<double>(half);
    CHECK(found.front().saves == Approx(ms / (ms + 10)));
    REQUIRE_FALSE(found.front().places.empty());
    CHECK(found.front().places.front().line == 9);
  }
  CHECK(evaluated(1, 1).empty());
  CHECK(evaluated(20, 10).empty());  // now and then
  CHECK(evaluated(20, 0).empty());   // between the steps
  CHECK(evaluated(20, 1, "self.count += 1").empty());
}
