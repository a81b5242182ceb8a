// What a step is made of.
#include "agent/steps/parts.hpp"
#include "agent/steps/roles.hpp"
#include "tests/support/logged_steps.hpp"

using namespace prof;
using log::StepPart;
using steps::Role;
using steps::Scope;
using test::part_of;
using test::sum_of_parts;

namespace {

// A step whose thread tells what it does, by a clock of its own.
struct Thread {
  steps::Parts parts{};
  steps::OperatorTimes times{};
  std::uint64_t now = 1000;

  Thread() { parts.begin(times, now); }
  void pass(std::uint64_t ns) { now += ns; }
  void scope(Scope scope, std::uint64_t ns) {
    parts.enter(scope, times, now);
    pass(ns);
    parts.leave(scope, times, now);
  }
  void compute(std::uint64_t ns, bool collective = false) {
    parts.operator_begins(collective, times, now);
    pass(ns);
  }
  void operator_ends() { times.last_ended = now; }
  void backward_operator(std::uint64_t ns) {
    if (times.backward_began == 0) times.backward_began = now;
    pass(ns);
    times.backward_ended = now;
  }
  void call(StepPart part, std::uint64_t ns) {
    pass(ns);
    parts.took(part, times, now - ns, now);
  }
  std::uint64_t of(StepPart part) { return part_of(ended(), part); }
  const log::StepFigures& ended() {
    const std::uint64_t all = now - 1000;
    const log::StepFigures& figures = parts.end(times, now);
    CHECK(sum_of_parts(figures) == all);
    return figures;
  }
};

}  // namespace

// As PyTorch Lightning does, and whoever uses LBFGS.
TEST_CASE("agent: a step whose optimiser is given a closure") {
  Thread t;
  t.scope(Scope::Data, 100);
  t.parts.enter(Scope::Optimizer, t.times, t.now);
  t.compute(300);
  t.scope(Scope::ZeroGrad, 20);
  t.backward_operator(400);
  t.compute(50);
  t.parts.leave(Scope::Optimizer, t.times, t.now);
  t.pass(7);
  const log::StepFigures& f = t.ended();
  CHECK(part_of(f, StepPart::Data) == 100);
  CHECK(part_of(f, StepPart::Forward) == 320);
  CHECK(part_of(f, StepPart::Backward) == 400);
  CHECK(part_of(f, StepPart::Optimizer) == 50);
  CHECK(part_of(f, StepPart::Other) == 7);
}

TEST_CASE("agent: a training step is split into its parts") {
  Thread t;
  t.scope(Scope::Data, 100);
  t.pass(10);
  t.compute(300);
  SECTION("in one order") { t.scope(Scope::ZeroGrad, 20); }
  SECTION("and in the other") {
    t.compute(0);
    t.scope(Scope::ZeroGrad, 20);
    t.compute(0);
  }
  t.backward_operator(400);
  t.backward_operator(100);
  t.pass(5);
  t.scope(Scope::Optimizer, 50);
  t.pass(7);
  const log::StepFigures& f = t.ended();
  CHECK(part_of(f, StepPart::Data) == 100);
  CHECK(part_of(f, StepPart::Forward) == 300);
  CHECK(part_of(f, StepPart::Backward) == 500);
  CHECK(part_of(f, StepPart::Optimizer) == 70);
  CHECK(part_of(f, StepPart::Evaluation) == 0);
  CHECK(part_of(f, StepPart::Other) == 22);
}

// Catches forward operators after a backward one that count as backward: two losses, two networks.
TEST_CASE("agent: forward and backward may take turns") {
  Thread t;
  t.scope(Scope::Data, 10);
  for (int i = 0; i < 3; ++i) {
    t.compute(100);
    t.backward_operator(200);
  }
  t.compute(30);  // gradients are clipped
  t.scope(Scope::Optimizer, 50);
  const log::StepFigures& f = t.ended();
  CHECK(part_of(f, StepPart::Forward) == 300);
  CHECK(part_of(f, StepPart::Backward) == 600);
  CHECK(part_of(f, StepPart::Optimizer) == 80);
}

TEST_CASE("agent: batches that nothing is learned from are evaluation") {
  Thread t;
  t.compute(1000);  // the model is made
  t.scope(Scope::Data, 10);
  t.compute(100);
  t.scope(Scope::Data, 10);
  t.compute(100);
  t.scope(Scope::Data, 10);
  t.compute(40);
  t.backward_operator(60);
  t.scope(Scope::Optimizer, 5);
  t.compute(3);  // the loss is read
  t.scope(Scope::Data, 10);
  const log::StepFigures& f = t.ended();
  CHECK(part_of(f, StepPart::Evaluation) == 200);
  CHECK(part_of(f, StepPart::Forward) == 40);
  CHECK(part_of(f, StepPart::Other) == 1003);
}

TEST_CASE("agent: without a loader, operators are evaluation where no backward ones follow in the step") {
  Thread inference;
  inference.compute(100);
  CHECK(inference.of(StepPart::Evaluation) == 100);
  Thread by_hand;
  by_hand.compute(100);
  by_hand.backward_operator(100);
  by_hand.compute(20);
  const log::StepFigures& f = by_hand.ended();
  CHECK(part_of(f, StepPart::Forward) == 100);
  CHECK(part_of(f, StepPart::Other) == 20);
}

TEST_CASE("agent: copies and communication are taken out of what they happen in, but not of loading") {
  Thread t;
  t.parts.enter(Scope::Data, t.times, t.now);
  t.call(StepPart::Copy, 30);
  t.parts.leave(Scope::Data, t.times, t.now);
  t.call(StepPart::Copy, 40);
  t.compute(100);
  t.call(StepPart::Copy, 10);
  t.backward_operator(200);
  t.call(StepPart::Communication, 50);
  t.backward_operator(1);
  t.compute(25, true);
  t.scope(Scope::Optimizer, 5);
  const log::StepFigures& f = t.ended();
  CHECK(part_of(f, StepPart::Data) == 30);
  CHECK(part_of(f, StepPart::Copy) == 50);
  CHECK(part_of(f, StepPart::Forward) == 100);
  CHECK(part_of(f, StepPart::Backward) == 201);
  CHECK(part_of(f, StepPart::Communication) == 75);
}

// Catches sums that grow beyond the step: clocks differ a little, calls reach over the step's beginning.
TEST_CASE("agent: times that do not fit are cut") {
  Thread t;
  t.parts.took(StepPart::Copy, t.times, 0, t.now + 50);
  t.pass(20);
  t.parts.enter(Scope::Data, t.times, t.now - 100);
  t.parts.leave(Scope::Data, t.times, t.now);
  t.parts.leave(Scope::Data, t.times, t.now);  // nobody was in it
  CHECK(t.of(StepPart::Copy) == 20);
}

TEST_CASE("agent: scopes in scopes are the outer one's, and so are operators in them") {
  Thread t;
  t.parts.enter(Scope::Optimizer, t.times, t.now);
  t.scope(Scope::ZeroGrad, 10);
  t.compute(100);
  t.parts.leave(Scope::Optimizer, t.times, t.now);
  CHECK(t.of(StepPart::Optimizer) == 110);
}

TEST_CASE("agent: waits are kept beside the parts") {
  Thread t;
  t.pass(100);
  t.parts.waited(log::WaitClass::Sleep, 60);
  t.parts.waited(log::WaitClass::Sleep, 30);
  CHECK(t.ended().blocked_ns[static_cast<std::size_t>(log::WaitClass::Sleep)] == 90);
}

TEST_CASE("agent: a wait between two forward operators is no part of them") {
  Thread t;
  t.compute(100);
  t.pass(70);
  t.parts.waited_outside(t.times, t.now - 70, t.now);
  t.compute(10);
  t.backward_operator(5);
  t.pass(40);
  t.parts.waited_outside(t.times, t.now - 40, t.now);  // for backward operators on another thread
  t.backward_operator(5);
  t.scope(Scope::Data, 20);
  t.parts.waited_outside(t.times, t.now - 20, t.now);
  const log::StepFigures& f = t.ended();
  CHECK(part_of(f, StepPart::Forward) == 110);
  CHECK(part_of(f, StepPart::Other) == 70);
  CHECK(part_of(f, StepPart::Backward) == 50);
  CHECK(part_of(f, StepPart::Data) == 20);
}

// Catches a metric in plain Python that counts as forward, because an operator came before it and others follow.
TEST_CASE("agent: where no operators run for long is no forward") {
  constexpr std::uint64_t kLong = 10 * steps::kPauseNs;
  Thread t;
  t.compute(100);
  t.operator_ends();
  SECTION("an operator after it") {
    t.pass(kLong);
    t.parts.settle(t.times, t.now);
    t.compute(50);
    t.operator_ends();
    t.backward_operator(30);
    const log::StepFigures& f = t.ended();
    CHECK(part_of(f, StepPart::Forward) == 150);
    CHECK(part_of(f, StepPart::Other) == kLong);
    CHECK(part_of(f, StepPart::Backward) == 30);
  }
  SECTION("backward operators after it, on another thread") {
    t.pass(kLong);
    t.backward_operator(30);
    const log::StepFigures& f = t.ended();
    CHECK(part_of(f, StepPart::Forward) == 100);
    CHECK(part_of(f, StepPart::Other) == kLong);
  }
  SECTION("what was blocked in it counts once") {
    t.pass(kLong / 2);
    t.parts.waited_outside(t.times, t.now - kLong / 4, t.now);
    t.pass(kLong / 2);
    t.parts.settle(t.times, t.now);
    t.backward_operator(30);
    const log::StepFigures& f = t.ended();
    CHECK(part_of(f, StepPart::Forward) == 100);
    CHECK(part_of(f, StepPart::Other) == kLong);
  }
  SECTION("a copy in it stays a copy") {
    t.pass(kLong / 2);
    t.call(StepPart::Copy, kLong / 2);
    t.backward_operator(30);
    const log::StepFigures& f = t.ended();
    CHECK(part_of(f, StepPart::Forward) == 100);
    CHECK(part_of(f, StepPart::Copy) == kLong / 2);
    CHECK(part_of(f, StepPart::Other) == kLong / 2);
  }
  SECTION("who waits for a device or a thread waits for operators") {
    t.pass(kLong);
    t.parts.waited_for_operators(t.times, t.now - kLong, t.now);
    t.backward_operator(30);
    CHECK(t.of(StepPart::Forward) == 100 + kLong);
  }
  SECTION("a short one is forward") {
    t.pass(steps::kPauseNs - 1);
    t.parts.settle(t.times, t.now);
    t.backward_operator(30);
    CHECK(t.of(StepPart::Forward) == 100 + steps::kPauseNs - 1);
  }
}

TEST_CASE("agent: what names mean for a step") {
  CHECK(steps::role_of("Torch-Compiled Region: 0/0", true, false) == Role::Compute);
  CHECK(steps::role_of("aten::mm", false, false) == Role::Compute);
  CHECK(steps::role_of("aten::empty", false, false) == Role::Inner);
  CHECK(steps::role_of("aten::empty_like", false, false) == Role::Compute);
  CHECK(steps::role_of("profiler::_record_function_exit", false, false) == Role::Inner);
  CHECK(steps::role_of("MmBackward0", false, true) == Role::Backward);
  CHECK(steps::role_of("autograd::engine::evaluate_function: MmBackward0", false, false) == Role::Backward);
  CHECK(steps::role_of("my scope", true, false) == Role::None);
  CHECK(steps::role_of("gloo:all_reduce", true, false) == Role::Collective);
  CHECK(steps::role_of("c10d::allreduce_", false, false) == Role::Collective);
  CHECK(steps::mark_of("Optimizer.step#SGD.step", "record_function") == steps::Mark::Optimizer);
  CHECK(steps::mark_of("Optimizer.step#SGD.step", "") == steps::Mark::None);
  CHECK(steps::is_asked("step", "step", "train"));
  CHECK(steps::is_asked("step@train", "step", "train"));
  CHECK(steps::is_asked("step #@train", "step 17", "train"));
  CHECK(steps::is_asked("#:#", "12:3", ""));
  CHECK_FALSE(steps::is_asked("step@other", "step", "train"));
  CHECK_FALSE(steps::is_asked("step #", "step ", ""));
  CHECK_FALSE(steps::is_asked("step #", "step 1 ", ""));
  CHECK_FALSE(steps::is_asked("", "a", ""));
  CHECK(steps::hash_alike("step 1", "d") == steps::hash_alike("step 207", "d"));
  CHECK(steps::hash_alike("step 1", "d") != steps::hash_alike("step 1", "e"));
  CHECK(steps::hash_alike("step 1", "") != steps::hash_alike("step", ""));
}
