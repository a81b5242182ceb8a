// Which steps are found in what a program tells.
#include <vector>

#include "tests/support/stepping_program.hpp"

using namespace prof;
using log::StepPart;
using log::StepSource;
using steps::Mark;
using test::kAdam;
using test::kLoader;
using test::kOther;
using test::kProfiler;
using test::kSgd;
using test::part_of;
using test::Program;
using test::times;

TEST_CASE("agent: steps are found by the optimiser, the first from its first batch on") {
  Program p;
  p.compute(5000);  // the model is made
  for (int i = 1; i <= 30; ++i) {
    p.data(i % 10 == 0 ? 900 : 10);
    p.learn();
    if (i == 20) p.pass(7000);
    p.sgd(50);
    p.compute(3);
  }
  const test::LoggedSteps got = test::logged_steps();
  const auto ns = times(got);
  CHECK(got.header.source == StepSource::Optimizer);
  CHECK(got.header.frame == kSgd);
  CHECK(got.header.tid == process().pid);
  REQUIRE(ns.size() == 30);
  CHECK(ns[0] == 360);
  CHECK(ns[1] == 363);
  CHECK(ns[9] == 1253);
  CHECK(ns[19] == 8253);
  CHECK(part_of(got.records[9].sum, StepPart::Data) == 900);
  CHECK(part_of(got.records[19].sum, StepPart::Other) == 7003);
  CHECK(part_of(got.records[19].sum, StepPart::Backward) == 200);
}

TEST_CASE("agent: without a loader the first step begins with the first operator") {
  Program p;
  for (int i = 0; i < 5; ++i) {
    p.learn();
    p.sgd(50);
  }
  CHECK(times(test::logged_steps()) == std::vector<std::uint64_t>(5, 350));
}

// Catches a first step that a range in it, as DistributedDataParallel has one, or what made the model takes the place
// of.
TEST_CASE("agent: the first step is whole, whatever ranges there are in it") {
  Program p;
  p.compute(5000);
  for (int i = 0; i < 5; ++i) {
    const Mark zero = p.begin("Optimizer.zero_grad#SGD.zero_grad", kOther);
    p.pass(20);
    p.end(zero, kOther);
    const Mark forward = p.begin("DistributedDataParallel.forward", 9);
    p.compute(100);
    p.end(forward, 9);
    p.backward(200);
    p.sgd(50);
  }
  const test::LoggedSteps got = test::logged_steps();
  CHECK(got.header.source == StepSource::Optimizer);
  CHECK(times(got) == std::vector<std::uint64_t>(5, 370));
  for (const log::StepRecord& r : got.records) {
    CHECK(part_of(r.sum, StepPart::Forward) == 100);
    CHECK(part_of(r.sum, StepPart::Backward) == 200);
    CHECK(part_of(r.sum, StepPart::Optimizer) == 70);
  }
}

// Catches a loop with two optimisers whose steps are counted twice.
TEST_CASE("agent: two optimisers for one batch are one step") {
  Program p;
  for (int i = 0; i < 20; ++i) {
    p.data(10);
    p.learn();
    p.adam(50);
    p.learn();
    p.adam(50);
  }
  // Until the second batch it is not known that there are more.
  CHECK(times(test::logged_steps()).size() == 21);
  Program q;
  for (int i = 0; i < 20; ++i) {
    q.data(10);
    q.learn();
    q.sgd(50);
    q.learn();
    q.adam(50);
  }
  CHECK(times(test::logged_steps()).size() == 20);
}

// Catches a loop whose parameters have two optimisers, one after the other, counted as two kinds of steps.
TEST_CASE("agent: two optimisers for one backward pass are one step, without a loader, too") {
  Program p;
  for (int i = 0; i < 20; ++i) {
    p.learn();
    p.adam(50);
    p.adam(30);
  }
  const auto ns = times(test::logged_steps());
  REQUIRE(ns.size() == 20);
  CHECK(ns[5] == 300 + 50 + 30);
  Program r;  // gradients that come from elsewhere after a while
  for (int i = 0; i < 60; ++i) {
    if (i < 20) r.learn();
    r.compute(100);
    r.adam(50);
  }
  CHECK(times(test::logged_steps()).size() > 50);
  Program q;  // as those of a generator and of what judges it
  for (int i = 0; i < 20; ++i) {
    q.learn();
    q.adam(50);
    q.learn();
    q.adam(50);
  }
  CHECK(times(test::logged_steps()).size() == 40);
}

TEST_CASE("agent: all steps count that learn from one batch, and several batches may be one step") {
  Program p;
  p.data(10);
  for (int i = 0; i < 20; ++i) {
    p.learn();
    p.sgd(50);
  }
  CHECK(times(test::logged_steps()).size() == 20);
  Program q;
  for (int i = 0; i < 40; ++i) {
    q.data(10);
    q.learn();
    if (i % 4 == 3) q.sgd(50);
  }
  const auto ns = times(test::logged_steps());
  REQUIRE(ns.size() == 10);
  CHECK(ns[5] == 4 * 310 + 50);
}

TEST_CASE("agent: another optimiser that goes on alone is followed") {
  Program p;
  for (int i = 0; i < 10; ++i) {
    p.learn();
    p.sgd(50);
  }
  for (int i = 0; i < 30; ++i) {
    p.learn();
    p.adam(50);
  }
  CHECK(times(test::logged_steps()).size() == 10 + 30 - 7);
}

TEST_CASE("agent: batches are steps where nothing is learned, and a fetch that gives none is none") {
  Program p;
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (int i = 0; i < 5; ++i) {
      p.data(10);
      p.compute(90);
    }
    p.data(1);  // there are no more
  }
  const test::LoggedSteps got = test::logged_steps();
  CHECK(got.header.source == StepSource::Range);
  CHECK(got.header.frame == kLoader);
  CHECK(times(got) == std::vector<std::uint64_t>(10, 100));
  CHECK(part_of(got.records[3].sum, StepPart::Evaluation) == 90);
  // What is learned afterwards is what counts.
  for (int i = 0; i < 3; ++i) {
    p.data(10);
    p.learn();
    p.sgd(50);
  }
  CHECK(test::logged_steps().header.source == StepSource::Optimizer);
  CHECK(test::logged_steps().header.dropped == 10);
  CHECK(times(test::logged_steps()).size() == 3);
}

TEST_CASE("agent: torch.profiler's own steps go before the optimiser's, but for the one that it begins at its end") {
  Program p;
  Mark mark = p.begin("ProfilerStep#*", kProfiler);
  for (int i = 0; i < 12; ++i) {
    p.data(10);
    p.learn();
    p.sgd(50);
    p.end(mark, kProfiler);
    mark = p.begin("ProfilerStep#*", kProfiler);
  }
  p.pass(100);
  p.end(mark, kProfiler);
  CHECK(test::logged_steps().header.source == StepSource::Profiler);
  CHECK(times(test::logged_steps()) == std::vector<std::uint64_t>(12, 360));
  // Not in the middle of a run.
  Program q;
  for (int i = 0; i < 20; ++i) {
    if (i == 10) mark = q.begin("ProfilerStep#*", kProfiler);
    q.learn();
    q.sgd(50);
  }
  CHECK(test::logged_steps().header.source == StepSource::Optimizer);
  CHECK(times(test::logged_steps()).size() == 20);
}

TEST_CASE("agent: an outermost range that repeats is the step, the first one included") {
  Program p;
  p.range("start", 1, 100, "");
  p.range("step 1", 2, 200, "");
  p.pass(5);
  const Mark mark = p.begin("step 2", 3, true, "");
  CHECK(p.begin("part", 4, false, "") == Mark::None);
  p.pass(300);
  p.end(mark, 3);
  p.range("end", 5, 100, "");
  p.range("step 3", 6, 250, "");
  const test::LoggedSteps got = test::logged_steps();
  CHECK(got.header.source == StepSource::Range);
  CHECK(times(got) == std::vector<std::uint64_t>{200, 300, 250});
}

// Catches a library's own ranges, one for each of its calls, taken for the program's steps.
TEST_CASE("agent: ranges of a library are no steps") {
  Program p;
  for (int i = 0; i < 20; ++i) {
    p.range("reorder", 1, 10, "dnnl::primitive::execute");
    p.range("ncclAllReduce", 2, 10, "NCCL");
    p.range("XlaCompile:#module=jit_step#", 4, 10, "TSL");
  }
  CHECK(times(test::logged_steps()).empty());
  for (int i = 0; i < 3; ++i) p.range("batch 1", 3, 100, "");
  CHECK(times(test::logged_steps()) == std::vector<std::uint64_t>{100, 100, 100});
}

TEST_CASE("agent: ranges that nothing is computed in are no steps of a program that computes") {
  Program p;
  for (int i = 0; i < 4; ++i) {
    p.range("load", 1, 100, "");
    const Mark mark = p.begin("train", 2, true, "");
    p.learn();
    p.end(mark, 2);
  }
  const test::LoggedSteps got = test::logged_steps();
  CHECK(times(got) == std::vector<std::uint64_t>(4, 300));
  CHECK(part_of(got.records[0].sum, StepPart::Backward) == 200);
}
