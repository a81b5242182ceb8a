// The rules about what the program's thread does: steps, loops over tensors, imports, DataParallel. Each on a case that
// has the fault and on one that has not.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using log::StepPart;
using log::WaitClass;
using test::add;
using test::below;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::kUs;
using test::lines_of;
using test::write_steps;

TEST_CASE("findings: one step that waits in sleep", "[findings]") {
  FindingsRun run;
  write_steps(run, 50, [](std::uint64_t number, log::StepRecord& step) {
    if (number != 20) return;
    add(step, StepPart::Other, 500 * kMs);
    step.cpu_ns -= 500 * kMs;
    step.sum.blocked_ns[static_cast<std::size_t>(WaitClass::Sleep)] = 500 * kMs;
  });
  run.wait(run.train(31), "clock_nanosleep", "sleep", 1, 500 * kMs);
  run.wait(run.train(40), "read", "file", 50, 700 * kMs);  // longer, but not what step 20 waited for
  const auto found = run.look("slow-steps");
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().title, "Step 20 takes much longer"));
  CHECK(has(found.front().seen,
            "It took 510 ms, half of all steps at most 10.0 ms. It spent 500 ms more outside of "
            "forward, backward, optimizer and data, waiting in sleep."));
  CHECK(found.front().saves == Approx(0.5));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{31});
}

TEST_CASE("findings: slow steps that come regularly", "[findings]") {
  FindingsRun run;
  write_steps(run, 60, [](std::uint64_t number, log::StepRecord& step) {
    if (number % 10 == 0) add(step, StepPart::Evaluation, 40 * kMs);
  });
  const auto found = run.look("slow-steps");
  REQUIRE(found.size() == 1);
  CHECK(found.front().title == "Every 10 steps one takes much longer");
  CHECK(has(found.front().seen, "6 steps (10, 20, 30, 40, 50, 60) took 240 ms more than the typical 10.0 ms"));
  CHECK(has(found.front().seen, "in evaluation."));
}

// Catches a busy machine: threads that compute together wait for the one that has no processor, and compute meanwhile.
TEST_CASE("findings: slow steps of threads that had no processor", "[findings]") {
  const auto found = [](std::uint64_t queue_ms) {
    FindingsRun run;
    write_steps(run, 60, [](std::uint64_t number, log::StepRecord& step) {
      if (number == 12 || number == 31 || number == 47) add(step, StepPart::Forward, 80 * kMs);
    });
    run.queue(queue_ms);
    return run.look("slow-steps");
  };
  CHECK(found(10).size() == 1);
  CHECK(found(200).empty());
}

// Catches the evaluation at the end of each epoch told as a fault, where no DataLoader says that it is one.
TEST_CASE("findings: steps that evaluate without gradients, by the source", "[findings]") {
  const auto found = [](std::uint32_t number, std::uint64_t ms) {
    FindingsRun run;
    const std::string file = (run.directory() / "fit.py").string();
    std::ofstream(file) << "def fit():\n    loss = step()\n    with torch.no_grad():\n        good = test()\n";
    write_steps(run, 60, [ms](std::uint64_t step_number, log::StepRecord& step) {
      if (step_number % 10 == 0) add(step, StepPart::Forward, ms * kMs);
    });
    run.log.cpu(run.line(0, run.code("fit", file), number), 6 * ms / 10, 6 * ms * kMs);
    return run.look("slow-steps");
  };
  CHECK(found(4, 20).empty());
  CHECK(found(2, 20).size() == 1);
  CHECK(found(4, 40).size() == 1);  // more than a fifth
}

// Catches two epochs' ends taken for slow steps, which are too few for a period.
TEST_CASE("findings: a few steps that evaluate without gradients, evenly spaced", "[findings]") {
  const auto found = [](std::uint64_t second) {
    FindingsRun run;
    const std::string file = (run.directory() / "fit.py").string();
    std::ofstream(file) << "def fit():\n    loss = step()\n    with torch.no_grad():\n        good = test()\n";
    write_steps(run, 60, [second](std::uint64_t number, log::StepRecord& step) {
      if (number == 20 || number == second) add(step, StepPart::Forward, 50 * kMs);
    });
    run.log.cpu(run.line(0, run.code("fit", file), 4), 10, 100 * kMs);
    return run.look("slow-steps");
  };
  CHECK(found(40).empty());
  CHECK(found(39).empty());
  CHECK(found(31).size() == 1);
}

// Catches the end of the first of two epochs taken for a slow step: that of the second stands behind the last step.
TEST_CASE("findings: one step that evaluates without gradients, in the middle", "[findings]") {
  const auto found = [](std::uint64_t slow) {
    FindingsRun run;
    const std::string file = (run.directory() / "fit.py").string();
    std::ofstream(file) << "def fit():\n    loss = step()\n    with torch.no_grad():\n        good = test()\n";
    write_steps(run, 60, [slow](std::uint64_t number, log::StepRecord& step) {
      if (number == slow) add(step, StepPart::Forward, 100 * kMs);
      if (number == 44) add(step, StepPart::Forward, 15 * kMs);  // by chance
    });
    run.log.cpu(run.line(0, run.code("fit", file), 4), 10, 100 * kMs);
    return run.look("slow-steps");
  };
  CHECK(found(31).empty());
  CHECK(found(30).empty());
  CHECK(found(12).size() == 1);
}

// Catches a symptom that hides a part of its cause, and claims what that claims.
TEST_CASE("findings: what slow steps do comes before them", "[findings]") {
  for (const std::uint64_t ms : {1'000, 500, 0}) {
    FindingsRun run;
    write_steps(run, 60, [](std::uint64_t number, log::StepRecord& step) {
      if (number % 10 == 0) add(step, StepPart::Forward, 150 * kMs);
    });
    for (const std::uint32_t line : {30, 32}) {
      if (ms > 0)
        run.log.cpu(below(run, run.train(line), "deepcopy", "/usr/lib/python3.11/copy.py"), ms / 20, ms / 2 * kMs);
    }
    run.log.cpu(run.train(31), 90, 900 * kMs);
    const findings::Outcome all = run.look();
    REQUIRE(all.findings.size() == (ms > 0 ? 2 : 1));
    const findings::Finding& symptom = all.findings.back();
    CHECK(symptom.title == "Every 10 steps one takes much longer");
    CHECK(has(symptom.advice, "every 10 steps"));
    // 600 ms are what all steps take in any case.
    CHECK(lines_of(symptom) == std::vector<std::int64_t>{31});
    // Of which three quarters lie in steps, as of the run's 2 s.
    const double cause = ms > 0 ? static_cast<double>(all.findings.front().saves_ns) : 0;
    if (ms > 0) CHECK(all.findings.front().rule == "deepcopy");
    CHECK(static_cast<double>(symptom.saves_ns) == Approx(std::min(900e6, 1500e6 - 0.75 * cause)));
    CHECK(has(symptom.seen, "Other findings are about") == (ms == 1'000));
  }
}

TEST_CASE("findings: steps that differ as steps do", "[findings]") {
  FindingsRun run;
  write_steps(run, 50, [](std::uint64_t number, log::StepRecord& step) {
    add(step, StepPart::Forward, number % 3 * kMs);
    if (number == 1) add(step, StepPart::Forward, 900 * kMs);  // warm-up
  });
  CHECK(run.look("slow-steps").empty());
}

// Catches the noise of a machine that others use as well.
TEST_CASE("findings: a step that other programs kept from the processor", "[findings]") {
  FindingsRun run;
  write_steps(run, 50, [](std::uint64_t number, log::StepRecord& step) {
    if (number != 20) return;
    add(step, StepPart::Forward, 500 * kMs);
    step.cpu_ns -= 500 * kMs;
  });
  CHECK(run.look("slow-steps").empty());
  // The same of many steps that they kept for a part of their time: what the steps did themselves counts alone.
  for (const std::uint64_t computes_ms : {5, 0}) {
    FindingsRun part;
    write_steps(part, 100, [computes_ms](std::uint64_t number, log::StepRecord& step) {
      if (number % 5 != 0) return;
      add(step, StepPart::Forward, 12 * kMs);
      step.cpu_ns -= (12 - 2 * computes_ms) * kMs;
    });
    const auto found = part.look("slow-steps");
    REQUIRE(found.size() == (computes_ms > 0 ? 1 : 0));
    if (computes_ms > 0) CHECK(has(found.front().seen, "20 steps (5, 10, 15, 20, 25, 30, ...) took 200 ms more"));
  }
}

TEST_CASE("findings: steps that become slower", "[findings]") {
  FindingsRun run;
  write_steps(run, 64,
              [](std::uint64_t number, log::StepRecord& step) { add(step, StepPart::Other, number * kMs / 8); });
  const auto found = run.look("slow-steps");
  REQUIRE(found.size() == 1);
  CHECK(found.front().title == "Steps become slower and slower");
  CHECK(has(found.front().seen, "most of it in other"));
  CHECK(found.front().saves > 0.05);
  CHECK(found.front().saves < 0.5);
}

TEST_CASE("findings: slow steps need steps", "[findings]") {
  FindingsRun run;
  const auto why = FindingsRun::why_not(run.look(), "slow-steps");
  REQUIRE(why);
  CHECK(*why == "no steps were seen");
}

namespace {

// A second of steps, in which line 12 takes elements out of a tensor for `taking_ms` and computes for the rest.
void loop(FindingsRun& run, std::uint64_t calls, std::uint64_t taking_ms, std::uint64_t rest_ms) {
  run.steps(10, 100);
  run.count_operator("aten::select", "forward", calls, calls * 2 * kUs);
  const auto line = run.train(12);
  const auto select = run.line(line, run.code("select", "/usr/lib/python3/dist-packages/torch/select.py"), 1);
  run.log.cpu(run.log.node(select, run.log.named(log::NameKind::Operator, "aten::select", "forward")), taking_ms / 10,
              taking_ms * kMs);
  run.log.cpu(line, rest_ms / 10, rest_ms * kMs);
  run.log.cpu(run.train(20), 30, 300 * kMs);
}

}  // namespace

TEST_CASE("findings: a loop of Python over the elements of a tensor", "[findings]") {
  FindingsRun half;
  loop(half, 50'000, 50, 200);
  REQUIRE(half.look("tensor-loop").size() == 1);
  CHECK(half.look("tensor-loop").front().saves_ns == Approx(0.25e9 * 0.98));  // 5 ms are the recording
  FindingsRun run;
  loop(run, 100'000, 100, 400);
  const auto found = run.look("tensor-loop");
  REQUIRE(found.size() == 1);
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{12});
  CHECK(found.front().saves_ns == Approx(0.5e9 * 0.98));
  CHECK(found.front().of_run);
  CHECK(has(found.front().seen, "100,000 times, 10,000 times a step"));
  CHECK(has(found.front().seen, "took 500 ms of CPU time (25.0 % of the run's time"));
}

// Catches what recording each operator adds told as part of what the loop takes without it.
TEST_CASE("findings: a loop over elements of a tensor, less what their recording takes", "[findings]") {
  FindingsRun run;
  loop(run, 1'000'000, 100, 400);  // 100 ms of 500 are the recording
  const auto found = run.look("tensor-loop");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves_ns == Approx(0.4e9));
  CHECK(has(found.front().seen, "About 100 ms of that is the recording of operators, no part of what could be saved."));
  FindingsRun all;
  loop(all, 10'000'000, 100, 400);  // more than there is
  REQUIRE(all.look("tensor-loop").size() == 1);
  CHECK(all.look("tensor-loop").front().saves == 0);
}

// Catches products of batches, which take the matrices out one by one themselves.
TEST_CASE("findings: operators that take elements out of tensors themselves", "[findings]") {
  for (const bool in_product : {true, false}) {
    FindingsRun run;
    run.steps(10, 100);
    run.count_operator("aten::select", "forward", 100'000, 200 * kMs);
    auto at = run.train(12);
    if (in_product) at = run.log.node(at, run.log.named(log::NameKind::Operator, "aten::bmm", "forward"));
    run.log.cpu(run.log.node(at, run.log.named(log::NameKind::Operator, "aten::select", "forward")), 50, 500 * kMs);
    run.log.cpu(run.train(20), 30, 300 * kMs);
    CHECK(run.look("tensor-loop").size() == (in_product ? 0 : 1));
  }
}

// Catches `if flag:` left out, which asks an operator of its own for the number.
TEST_CASE("findings: a loop of Python that tests the elements of a tensor", "[findings]") {
  FindingsRun run;
  run.steps(10, 100);
  run.count_operator("aten::item", "forward", 100'000, 200 * kMs);
  const auto test = run.log.node(run.train(12), run.log.named(log::NameKind::Operator, "aten::is_nonzero", "forward"));
  run.log.cpu(run.log.node(test, run.log.named(log::NameKind::Operator, "aten::item", "forward")), 50, 500 * kMs);
  run.log.cpu(run.train(20), 30, 300 * kMs);
  CHECK(run.look("tensor-loop").size() == 1);
}

// Catches each program that takes an element now and then, and lines that do much else.
TEST_CASE("findings: lines that hardly take elements out of tensors", "[findings]") {
  SECTION("few of them") {
    FindingsRun run;
    loop(run, 500, 100, 400);
    CHECK(run.look("tensor-loop").empty());
  }
  SECTION("a small part of the line") {
    FindingsRun run;
    loop(run, 100'000, 10, 490);
    CHECK(run.look("tensor-loop").empty());
  }
  SECTION("a small part of the time") {
    FindingsRun run;
    loop(run, 100'000, 20, 30);
    CHECK(run.look("tensor-loop").empty());
  }
}

namespace {

// Two seconds, of which importing torch took so long.
void import_torch(FindingsRun& run, std::uint64_t ms) {
  log::ImportRecord record{};
  record.start_ns = run.log.header.start_monotonic_ns;
  record.total_ns = ms * kMs;
  run.log.import(record, "torch");
  record.depth = 1;
  record.total_ns = 400 * kMs;
  run.log.import(record, "numpy");
  const auto load = run.line(run.train(3), run.code("_load_unlocked", "<frozen importlib._bootstrap>"), 1);
  run.log.cpu(run.line(load, run.code("<module>", "/usr/lib/python3/dist-packages/torch/__init__.py"), 9), 100,
              ms * kMs);
}

}  // namespace

TEST_CASE("findings: a run that imports for most of its time", "[findings]") {
  FindingsRun run;
  run.log.header.end_monotonic_ns = run.log.header.start_monotonic_ns + 10'000 * kMs;
  import_torch(run, 4'500);
  const auto found = run.look("imports");
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().seen, "Imports took 4.50 s of 10.0 s (45.0 %): torch 4.50 s."));
  CHECK(found.front().saves == Approx(0.45));
  CHECK(found.front().saves_ns == 4'500 * static_cast<std::int64_t>(kMs));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{3});
}

// Catches the start of ordinary programs told as a fault.
TEST_CASE("findings: a run that imports for a while", "[findings]") {
  for (const std::uint64_t ms : {350, 900}) {
    FindingsRun run;
    import_torch(run, ms);
    CHECK(run.look("imports").empty());
  }
}

TEST_CASE("findings: an import that waits", "[findings]") {
  FindingsRun run;
  import_torch(run, 900);
  const auto load = run.line(run.train(3), run.code("_load_unlocked", "<frozen importlib._bootstrap>"), 1);
  const auto wait = run.log.node(load, run.log.named(log::NameKind::Wait, "recv", "network"));
  run.log.record(log::RecordClass::Wait, wait, log::WaitWords{log::kCountUnit, 600 * kMs, 1});
  const auto found = run.look("imports");
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().seen, "600 ms of it went by in waiting (network)."));
}

// Catches the cost that is there once for each child, and adds up.
TEST_CASE("findings: children that import the same again", "[findings]") {
  FindingsRun run;
  run.log.header.cpu_ns = 2'000 * kMs;
  import_torch(run, 100);
  for (std::uint32_t i = 0; i < 4; ++i) {
    FindingsRun child;
    child.log.header.pid = 501 + i;
    child.log.header.log_id = 501 + i;
    child.log.header.ppid = 500;
    child.log.header.parent_log_id = 500;
    child.log.header.cpu_ns = 10 * kMs;
    child.log.header.start_realtime_ns += i * kMs;
    if (i >= 2) child.log.header.start_monotonic_ns += 1'000 * kMs;
    child.log.header.end_monotonic_ns = child.log.header.start_monotonic_ns + 1'000 * kMs;
    import_torch(child, 600);
    child.log.write(run.directory() / (std::to_string(501 + i) + ".1.proflog"));
  }
  const auto found = run.look("imports");
  REQUIRE(found.size() == 1);
  CHECK(found.front().title == "Each child process imports the same again");
  CHECK(has(found.front().seen, "4 processes spent 2.40 s of their 4.00 s on imports"));
  CHECK(found.front().saves == Approx(0.3));  // of four, two at a time, which could stay
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{3});
}

// Catches the start of workers that all live at once told as a fault.
TEST_CASE("findings: workers of one pool import what they need", "[findings]") {
  FindingsRun run;
  run.log.header.cpu_ns = 2'000 * kMs;
  for (std::uint32_t i = 0; i < 4; ++i) {
    FindingsRun child;
    child.becomes_child(501 + i, 500, i, 1'900);
    child.log.header.cpu_ns = 10 * kMs;
    import_torch(child, 1'200);
    child.write_into(run);
  }
  CHECK(run.look("imports").empty());
}

// Catches the imports of workers that are needed in any case claimed with those of each new one, and the line left
// out that asks for these.
TEST_CASE("findings: children that each do one job import the same again", "[findings]") {
  const std::string pool = GENERATE("pool = Pool(2, maxtasksperchild=1)", "pool = Pool(2, maxtasksperchild=10)",
                                    "context = get_context(\"spawn\")");
  FindingsRun run;
  const std::string file = run.directory() / "train.py";
  std::ofstream(file) << "import torch\n" + pool + "\n";
  run.log.header.cpu_ns = 2'000 * kMs;
  for (std::uint32_t i = 0; i < 4; ++i) {
    FindingsRun child;
    child.becomes_child(501 + i, 500, i < 2 ? 0 : 1'000, 1'000);
    child.log.header.cpu_ns = 10 * kMs;
    log::ImportRecord record{};
    record.start_ns = child.log.header.start_monotonic_ns;
    record.total_ns = 600 * kMs;
    child.log.import(record, "torch");
    const auto load = child.line(child.line(0, child.code("<module>", file), 1),
                                 child.code("_load_unlocked", "<frozen importlib._bootstrap>"), 1);
    child.log.cpu(child.line(load, child.code("<module>", "/usr/lib/python3/dist-packages/torch/__init__.py"), 9), 60,
                  600 * kMs);
    child.write_into(run);
  }
  const auto found = run.look("imports");
  REQUIRE(found.size() == 1);
  const bool each = pool.ends_with("=1)"), named = each || pool.ends_with("\")");
  // Of four, two stay; none, where they could have it from their parent.
  CHECK(found.front().saves == Approx(pool.ends_with("\")") ? 0.6 : 0.3));
  REQUIRE(!found.front().places.empty());
  CHECK(found.front().places.front().line == (named ? 2 : 1));
}

namespace {

constexpr const char* kParallel = "/usr/lib/python3/dist-packages/torch/nn/parallel/";

// A second of steps, half of it in DataParallel, which hands out the module where there is more than one GPU.
void data_parallel(FindingsRun& run, bool replicates, std::uint64_t half = 1) {
  run.steps(10, 100);
  const auto forward =
      run.line(run.train(25), run.code("DataParallel.forward", std::string(kParallel) + "data_parallel.py"), 60);
  run.log.cpu(forward, 30 / half, 300 / half * kMs);
  if (replicates) {
    run.log.cpu(run.line(forward, run.code("replicate", std::string(kParallel) + "replicate.py"), 70), 20 / half,
                200 / half * kMs);
  }
}

}  // namespace

TEST_CASE("findings: DataParallel with several GPUs", "[findings]") {
  FindingsRun run;
  data_parallel(run, true);
  const auto found = run.look("data-parallel");
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().seen, "50.0 % of the steps' time went by in torch.nn.DataParallel, 200 ms of 500 ms"));
  CHECK(found.front().saves == Approx(0.2));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{25});
  FindingsRun half;
  data_parallel(half, true, 2);
  REQUIRE(half.look("data-parallel").size() == 1);
  CHECK(half.look("data-parallel").front().saves == Approx(0.1));
}

TEST_CASE("findings: DataParallel with one GPU hands nothing out", "[findings]") {
  FindingsRun run;
  data_parallel(run, false);
  CHECK(run.look("data-parallel").empty());
}
