// Rules about devices, where much happens outside of the steps: what is done before them is none of their time.
#include <fstream>
#include <functional>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::below;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::kUs;
using test::lines_of;
using test::write_steps;
using Lines = std::vector<std::int64_t>;

namespace {

constexpr std::uint64_t kMebi = 1 << 20;

// Gaps of which the host ran Python for all but `launching`.
void idle(FindingsRun& run, std::uint32_t node, std::uint64_t gaps, std::uint64_t ns, std::uint64_t longest,
          std::uint64_t launching = 0) {
  run.log.record(log::RecordClass::Idle, node, log::IdleWords{gaps, ns, longest, 0, 0, launching, ns - launching, 0});
}

std::uint32_t launch(FindingsRun& run, std::uint32_t line, std::uint64_t count) {
  return run.api(run.train(line), "cudaLaunchKernel", count, count * kUs);
}

}  // namespace

// Catches a line that sets the program up named as what the device waits for while it trains.
TEST_CASE("findings: a device that idles in its steps, and for longer before them", "[findings]") {
  FindingsRun run;
  run.steps(10, 40);       // 100 to 500 ms
  run.device(1'900, 100);  // 100 to 2,000 ms
  const auto set_up = launch(run, 5, 1), step = launch(run, 71, 10);
  run.kernel(step, "train_it", 10, 100 * kMs);
  idle(run, set_up, 1, 1'500 * kMs, 1'500 * kMs);
  idle(run, step, 10, 300 * kMs, 30 * kMs);
  const auto found = run.look("device-idle");
  REQUIRE(found.size() == 1);
  CHECK(lines_of(found.front()) == Lines{71});
  CHECK(found.front().saves == Approx(0.75));
  CHECK(has(found.front().seen, "It idled 300 ms of the 400 ms of steady steps (75.0 %)."));
}

TEST_CASE("findings: a loop of Python between two launches is not the launching", "[findings]") {
  const auto build = [](FindingsRun& run, std::uint64_t loop_ms) {
    run.steps(10, 100);
    run.device(1'000, 900 - 10 * loop_ms);
    const auto first = launch(run, 25, 10), others = launch(run, 26, 4'000);
    run.kernel(first, "first", 10, 100 * kUs);
    run.kernel(others, "others", 4'000, 4 * kMs);
    idle(run, first, 10, 10 * loop_ms * kMs, loop_ms * kMs);
    idle(run, others, 4'000, 100 * kMs, 100 * kUs, 60 * kMs);
    run.log.cpu(run.train(60), 80, 10 * loop_ms * kMs);
    run.log.cpu(run.train(26), 10, 100 * kMs);
  };
  FindingsRun loop;
  build(loop, 80);
  CHECK(loop.look("launch-bound").empty());
  const auto found = loop.look("device-idle");
  REQUIRE(found.size() == 1);
  REQUIRE_FALSE(found.front().places.empty());
  CHECK(found.front().places.front().line == 60);
  CHECK(has(found.front().advice, "Do that work on the device"));
}

TEST_CASE("findings: the line whose launches a device waited for longest comes first", "[findings]") {
  FindingsRun run;
  run.steps(10, 100);
  run.device(1'000, 100);
  const auto many = launch(run, 25, 6'000), slow = launch(run, 26, 4'000);
  run.kernel(many, "many", 6'000, 60 * kMs);
  run.kernel(slow, "slow", 4'000, 40 * kMs);
  idle(run, many, 6'000, 225 * kMs, 200 * kUs);
  idle(run, slow, 4'000, 675 * kMs, 200 * kUs);
  const auto found = run.look("launch-bound");
  REQUIRE(found.size() == 1);
  CHECK(lines_of(found.front()) == Lines{26, 25});
  CHECK(has(found.front().seen, "75.0 % of that was before launches of the line named first."));
}

// Catches the backward pass named for what the forward pass made it do.
TEST_CASE("findings: a line that starts a backward pass comes behind those in front of it", "[findings]") {
  FindingsRun run;
  const std::string file = (run.directory() / "fit.py").string();
  std::ofstream(file) << "def fit():\n    loss = net(x)\n    loss.backward()\n";
  const auto at = [&](std::uint32_t number) {
    return run.api(run.line(0, run.code("fit", file), number), "cudaLaunchKernel", 5'000, 5'000 * kUs);
  };
  // What the forward pass hardly has is not what it made the backward pass do.
  const std::uint64_t forward_ms = GENERATE(300, 150);
  run.steps(10, 100);
  run.device(1'000, 100);
  const auto forward = at(2), backward = at(3);
  run.kernel(forward, "forward", 5'000, 50 * kMs);
  run.kernel(backward, "backward", 5'000, 50 * kMs);
  idle(run, forward, 5'000, forward_ms * kMs, 200 * kUs);
  idle(run, backward, 5'000, (900 - forward_ms) * kMs, 200 * kUs);
  const auto found = run.look("launch-bound");
  REQUIRE(found.size() == 1);
  REQUIRE(found.front().places.size() == 2);
  CHECK(found.front().places.front().line == (forward_ms == 300 ? 2 : 3));
  if (forward_ms == 300) CHECK(has(found.front().seen, "33.3 % of that was before launches of the line named first."));
}

namespace {

// Sixty steps of 10 ms, or longer ones, on a device that worked for so much of them.
void steps_of(FindingsRun& run, std::uint64_t busy_percent, const std::function<std::uint64_t(std::uint64_t)>& ms) {
  std::uint64_t all = 0;
  write_steps(run, 60, [&](std::uint64_t number, log::StepRecord& step) {
    step.ns = step.cpu_ns = ms(number - 1) * kMs;
    step.sum.parts_ns[static_cast<std::size_t>(log::StepPart::Forward)] = step.ns;
    all += step.ns;
  });
  run.device(all / kMs, all / kMs * busy_percent / 100);
  run.kernel(launch(run, 71, 60), "train_it", 60, all * busy_percent / 100);
}

}  // namespace

// Catches a host that runs ahead of its device at first, and waits for it in the end, taken for steps that grow.
TEST_CASE("findings: steps of a device that always has something to do", "[findings]") {
  const auto found = [](std::uint64_t busy_percent, const std::function<std::uint64_t(std::uint64_t)>& ms) {
    FindingsRun run;
    steps_of(run, busy_percent, ms);
    return !run.look("slow-steps").empty();
  };
  const auto slower = [](std::uint64_t i) -> std::uint64_t { return i < 40 ? 10 : 30; };
  CHECK_FALSE(found(98, slower));
  CHECK(found(50, slower));
  // What the host does in single steps while the device waits for it shows in what the device idles.
  const auto single = [](std::uint64_t i) -> std::uint64_t { return i % 20 == 13 ? 70 : 10; };
  CHECK_FALSE(found(98, single));
  CHECK(found(86, single));
}

TEST_CASE("findings: what recording takes of launches could not be saved", "[findings]") {
  FindingsRun run;
  run.steps(10, 100);
  run.device(1'000, 300);
  const auto node = launch(run, 25, 50'000);
  run.kernel(node, "add", 50'000, 300 * kMs);
  idle(run, node, 50'000, 700 * kMs, kMs, 600 * kMs);
  run.count_operator("aten::add", "forward", 100'000, 600 * kMs);
  const auto found = run.look("launch-bound");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.7 - 0.1 - 0.05));
  CHECK(has(found.front().seen, "Recording each launch and operator took about 150 ms of it, which is left out."));
}

// Catches the print after the loop taken for a part of the step.
TEST_CASE("findings: what waits and copies now and then is not inside the step", "[findings]") {
  const auto build = [](FindingsRun& run, std::uint64_t times) {
    run.steps(10, 100);
    run.device(1'000, 500);
    run.api(run.train(20), "cudaStreamSynchronize", times, 300 * kMs);
    run.copy(run.api(run.train(33), "cudaMemcpyAsync", times, 100 * kMs, times * 16 * kMebi), "HtoD", "pageable", times,
             100 * kMs, times * 16 * kMebi);
  };
  FindingsRun each, seldom;
  build(each, 10);
  build(seldom, 5);
  CHECK(each.look("synchronisation").size() == 1);
  CHECK(each.look("pageable-copies").size() == 1);
  CHECK(seldom.look("synchronisation").empty());
  CHECK(seldom.look("pageable-copies").empty());
}

// Catches the parameters of a model taken for batches: a short training has fewer steps than those.
TEST_CASE("findings: a model on its way to the device", "[findings]") {
  FindingsRun run;
  run.steps(10, 100);
  run.device(1'000, 500);
  const auto apply =
      below(run, run.train(9), "Module._apply", "/usr/lib/python3/dist-packages/torch/nn/modules/module.py");
  run.api(apply, "cudaStreamSynchronize", 200, 300 * kMs);
  run.copy(run.api(apply, "cudaMemcpyAsync", 200, 100 * kMs, 200 * 16 * kMebi), "HtoD", "pageable", 200, 100 * kMs,
           200 * 16 * kMebi);
  CHECK(run.look("synchronisation").empty());
  CHECK(run.look("pageable-copies").empty());
}

TEST_CASE("findings: a script without steps waits once", "[findings]") {
  const auto found = [](std::uint64_t times) {
    FindingsRun run;
    run.device(1'000, 500);
    run.api(run.train(20), "cudaDeviceSynchronize", times, 400 * kMs);
    return run.look("synchronisation");
  };
  CHECK(found(1).empty());
  REQUIRE(found(100).size() == 1);
  CHECK(found(100).front().title == "The host waits for the device again and again");
}

// Catches "100 copies of 0 B": what CUPTI alone has seen has no sizes.
TEST_CASE("findings: copies of which the sizes are not known are not tiny", "[findings]") {
  FindingsRun run;
  run.steps(10, 100);
  run.device(1'000, 900);
  run.api(run.train(44), "cudaMemcpyAsync", 5'000, 50 * kMs, 0);
  CHECK(run.look("tiny-copies").empty());
}

// Catches a cause that is hidden as a part of what it causes.
TEST_CASE("findings: checkpoints come before the slow steps that they make", "[findings]") {
  FindingsRun run;
  write_steps(run, 60, [](std::uint64_t number, log::StepRecord& step) {
    const bool saves = number % 10 == 0;
    step.ns = step.cpu_ns = saves ? 150 * kMs : 10 * kMs;
    step.sum.parts_ns[static_cast<std::size_t>(log::StepPart::Forward)] = 0;
    step.sum.parts_ns[static_cast<std::size_t>(log::StepPart::Other)] = step.ns;
    if (saves) step.sum.blocked_ns[static_cast<std::size_t>(log::WaitClass::File)] = 140 * kMs;
  });
  const auto save = below(run, run.train(30), "save", "/usr/lib/python3/dist-packages/torch/serialization.py");
  run.log.cpu(save, 30, 300 * kMs);
  run.wait(save, "write", "file", 60, 500 * kMs);
  const findings::Outcome all = run.look();
  REQUIRE_FALSE(all.findings.empty());
  CHECK(all.findings.front().rule == "checkpoints");
  CHECK(has(all.findings.front().seen, "It shows in this: Every 10 steps one takes much longer."));
  for (const findings::Finding& finding : all.findings) CHECK(finding.rule != "slow-steps");
}
