// Steps that PROF_STEP names, of which thread they are, and which of them have details.
#include <string>
#include <vector>

#include "tests/support/stepping_program.hpp"

using namespace prof;
using log::StepPart;
using log::StepSource;
using steps::Mark;
using test::kOther;
using test::part_of;
using test::Program;
using test::times;

TEST_CASE("agent: PROF_STEP names a range or a function, and nothing else is a step then") {
  Program p("nvtx:iteration #@mine");
  for (int i = 0; i < 6; ++i) {
    const Mark mark = p.begin(i == 0 ? "iteration 1" : "iteration 12", kOther, false, "mine");
    CHECK(mark == Mark::Asked);
    const Mark inner = p.begin("iteration 3", kOther, false, "mine");
    p.data(10);
    p.learn();
    p.end(inner, kOther);
    p.sgd(50);
    p.end(mark, kOther);
    p.pass(1000);
  }
  test::LoggedSteps got = test::logged_steps();
  CHECK(got.header.source == StepSource::Asked);
  CHECK(times(got) == std::vector<std::uint64_t>(6, 360));
  CHECK(part_of(got.records[2].sum, StepPart::Optimizer) == 50);

  Program q("train_step");
  for (int i = 0; i < 4; ++i) {
    q.on_main_thread(i != 2);  // another thread's calls are not this thread's steps
    const bool taken = q.function_begins(kOther);
    CHECK(taken == (i != 2));
    q.pass(70);
    if (taken) q.function_ends();
  }
  got = test::logged_steps();
  CHECK(times(got) == std::vector<std::uint64_t>(3, 70));
  CHECK(got.header.dropped == 1);

  Program s("train");
  for (int i = 0; i < 3; ++i) s.range("train", kOther, 80);
  CHECK(times(test::logged_steps()) == std::vector<std::uint64_t>(3, 80));

  Program r("nvtx:absent");
  const std::size_t before = test::logged_steps().chunks;
  for (int i = 0; i < 4; ++i) {
    r.data(10);
    r.learn();
    r.sgd(50);
    r.range("any", 9, 10, "");
  }
  CHECK(test::logged_steps().chunks == before);
}

TEST_CASE("agent: the thread that learns is the one whose steps are recorded") {
  Program p;
  p.compute(10);
  p.on_main_thread(false);
  for (int i = 0; i < 5; ++i) {
    p.learn();
    p.sgd(50);
  }
  const test::LoggedSteps got = test::logged_steps();
  CHECK(got.header.tid == process().pid + 1);
  CHECK(times(got).size() == 5);
  p.on_main_thread(true);
  p.sgd(50);
  CHECK(times(test::logged_steps()).size() == 5);
}

TEST_CASE("agent: details are wanted in the active steps alone, and windows are counted when they end") {
  Program p("", {.skip_first = 2, .wait = 1, .warmup = 1, .active = 2, .repeat = 2});
  std::string wanted;
  for (int i = 0; i < 14; ++i) {
    p.data(10);
    p.learn();
    wanted += capture::with_details() ? '+' : '-';
    p.sgd(50);
    if (i == 5) CHECK(test::agent_log().windows == 1);
  }
  CHECK(wanted == "----++--++----");
  CHECK(test::agent_log().windows == 2);
  CHECK(times(test::logged_steps()).size() == 14);
}

TEST_CASE("agent: of a window that narrows recording the steps within are recorded, by their numbers") {
  Program p;
  for (int i = 0; i < 9; ++i) {
    capture::state.open.store(i >= 3 && i < 6);
    p.learn();
    p.sgd(50);
  }
  capture::state.open.store(true);
  const test::LoggedSteps got = test::logged_steps();
  REQUIRE(got.records.size() == 2);
  CHECK(got.records[0].first == 5);
  CHECK(got.records[1].first == 6);
  CHECK(got.header.dropped == 7);
}
