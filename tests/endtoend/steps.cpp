// Steps of training loops, as the agent finds them in programs that know their own.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/torch_run.hpp"

using namespace prof::test;

namespace {

constexpr const char* kParts[] = {"other",    "data",      "copy",          "forward",
                                  "backward", "optimizer", "communication", "evaluation"};

Command steps_of(std::vector<std::string> what) { return python_victim("torch_steps.py", std::move(what)); }

double seconds(const CsvRow& row, const std::string& what) {
  return static_cast<double>(number(row.at(what + "_ns"))) * 1e-9;
}

// The steps of the run, one in a row, whose parts add up to their time.
CsvRows steps_in(const std::filesystem::path& run) {
  const CsvRows rows = view_of(run, "steps");
  long long next = 1;
  for (const CsvRow& row : rows) {
    CHECK(row.at("pid") == rows.front().at("pid"));  // the loader's workers have none
    CHECK(number(row.at("step")) == next);
    next += number(row.at("steps"));
    double sum = 0;
    for (const char* part : kParts) sum += seconds(row, part);
    CHECK(std::abs(sum - seconds(row, "wall")) < 1e-6);
    CHECK(seconds(row, "cpu") <= seconds(row, "process_cpu") + 2e-3);
  }
  return rows;
}

// What the view says that they were found by.
std::string found_by(const std::filesystem::path& run) {
  const Outcome outcome = Command({prof_program().string(), "report", run.string(), "--view", "steps"}).run();
  REQUIRE(outcome.ok());
  return outcome.out.substr(0, outcome.out.find("\n\n"));
}

}  // namespace

// Catches steps that are missed or counted twice, and time that goes to another step or another part of it.
TEST_CASE("training steps are counted, timed and split as the program itself does it", "[alone]") {
  if (!has_module("torch")) return skip_without("torch");
  TempDir temp;
  const Outcome run = steps_of({"train"}).profiled(temp / "run").run();
  INFO(run.err);
  REQUIRE(run.ok());
  CHECK(run.err.empty());
  const Json told = Json::parse(run.out);
  const CsvRows steps = steps_in(temp / "run");
  CHECK(found_by(temp / "run").find("Optimizer.step#SGD.step") != std::string::npos);
  REQUIRE(steps.size() == 50);
  // The program's own clock is read a little apart from where its scopes begin and end: on a busy machine something
  // else may run in between.
  const auto about = [](double got, double want) { return std::abs(got - want) < 0.002 + 0.03 * want; };
  std::size_t alike = 0;
  for (std::size_t i = 1; i < 50; ++i) {
    const CsvRow& step = steps.at(i);
    const Json& own = told.at(i);
    CAPTURE(i, own.dump());
    const double forward = own.at("forward"), stall = i == 19 ? 0.3 : 0;
    const double learned = own.at("backward").get<double>() - stall;
    alike += about(seconds(step, "wall"), own.at("step")) && about(seconds(step, "data"), own.at("data")) &&
             seconds(step, "forward") > 0.7 * forward && seconds(step, "forward") < 0.002 + 1.03 * forward &&
             seconds(step, "backward") > 0.5 * learned && seconds(step, "backward") < 0.002 + 1.03 * learned;
    CHECK(seconds(step, "evaluation") == 0);
    CHECK(seconds(step, "copy") == 0);
    CHECK(seconds(step, "communication") == 0);
    // Sleeping in the loader, and in the stall, which lies between forward and backward operators.
    const double slept = i % 10 == 9 ? 0.08 : 0.002;
    CHECK(seconds(step, "data") >= slept - 1e-3);
    CHECK(seconds(step, "other") >= stall - 1e-3);
    CHECK(seconds(step, "blocked_sleep") >= slept + stall - 1e-3);
    CHECK(seconds(step, "blocked_sleep") <= seconds(step, "wall"));
  }
  CHECK(alike >= 35);
  // The causes: the stall first, and the data of every tenth.
  CHECK(number(steps.at(19).at("slow")) == 1);
  // Of the ordinary ones the machine may make some so.
  std::size_t slow = 0;
  for (std::size_t i = 2; i < 9; ++i) slow += number(steps.at(i).at("slow")) == 1 ? 1 : 0;
  CHECK(slow <= 2);
}

TEST_CASE("many steps are merged, and all of them counted") {
  if (!has_module("torch")) return skip_without("torch");
  TempDir temp;
  const Outcome run = Command({kPython, "-c",
                               "import torch\n"
                               "w = torch.nn.Parameter(torch.ones(3))\n"
                               "o = torch.optim.SGD([w], lr=0.1)\n"
                               "for i in range(3000):\n"
                               "    o.zero_grad()\n"
                               "    w.sum().backward()\n"
                               "    o.step()\n"})
                          .limit(140)
                          .profiled(temp / "run")
                          .run();
  INFO(run.err);
  REQUIRE(run.ok());
  const CsvRows steps = steps_in(temp / "run");
  CHECK(steps.size() <= 512);
  long long count = 0;
  for (const CsvRow& step : steps) count += number(step.at("steps"));
  CHECK(count == 3000);
}

TEST_CASE("torch.profiler's own steps, a function and batches without learning are steps too") {
  if (!has_module("torch")) return skip_without("torch");
  TempDir temp;
  const auto run = [&](const char* what, const char* step = "auto") {
    const Outcome outcome = steps_of({what}).set("PROF_STEP", step).profiled(temp / what).run();
    INFO(outcome.err);
    REQUIRE(outcome.ok());
    CHECK(outcome.err.empty());
    return steps_in(temp / what);
  };
  CHECK(run("profile").size() == 12);
  CHECK(found_by(temp / "profile").find("ProfilerStep#*") != std::string::npos);

  const CsvRows called = run("function", "train_step");
  CHECK(called.size() == 9);
  CHECK(found_by(temp / "function").find("train_step") != std::string::npos);
  for (const CsvRow& step : called) {
    CHECK(seconds(step, "blocked_sleep") > 0.0045);
    CHECK(seconds(step, "backward") > 0);
    CHECK(seconds(step, "optimizer") > 0);
  }

  const CsvRows inferred = run("inference");
  REQUIRE(inferred.size() == 16);
  CHECK(found_by(temp / "inference").find("enumerate(DataLoader)") != std::string::npos);
  CHECK(seconds(inferred.at(5), "evaluation") > 0);
  CHECK(seconds(inferred.at(5), "forward") == 0);
}

// Catches waiting for other ranks that counts as learning.
TEST_CASE("what a step waits for in collectives is communication") {
  if (!has_module("torch")) return skip_without("torch");
  TempDir temp;
  const Outcome run = steps_of({"ranks", std::to_string(20000 + getpid() % 20000)}).profiled(temp / "run").run();
  INFO(run.err);
  REQUIRE(run.ok());
  double waited = 0, slept = 0;
  std::size_t steps = 0;
  for (const CsvRow& step : view_of(temp / "run", "steps")) {
    ++steps;
    if (number(step.at("step")) < 3) continue;
    if (step.at("rank") == "0") waited += seconds(step, "communication");
    if (step.at("rank") == "1") slept += seconds(step, "other");
  }
  CHECK(steps == 2 * 8);
  CHECK(slept >= 6 * 0.09);
  CHECK(waited >= 0.7 * 6 * 0.09);
}

// Catches a schedule that narrows the totals as well, and details of steps that are not active.
TEST_CASE("a schedule bounds the details and leaves the totals") {
  if (!has_module("torch")) return skip_without("torch");
  TempDir temp;
  const Outcome run = steps_of({"train", "20"})
                          .set("PROF_SCHEDULE", "skip_first=5,wait=2,warmup=1,active=2,repeat=2")
                          .set("PROF_OPS", "shapes")
                          .set("PROF_TRACE", "2M")
                          .profiled(temp / "run")
                          .run();
  INFO(run.err);
  REQUIRE(run.ok());
  CHECK(run.err.empty());
  CHECK(steps_in(temp / "run").size() == 20);
  long long shaped = 0, all = 0;
  for (const CsvRow& row : view_of(temp / "run", "ops", {"--group-by", "shape"})) {
    if (row.at("name") != "aten::addmm") continue;
    all += number(row.at("calls"));
    if (!row.at("shapes").empty()) shaped += number(row.at("calls"));
  }
  CHECK(all == 20 * 6);
  CHECK(shaped == 4 * 6);
  // And so are the operators of the trace, by step.
  std::map<std::string, long long> by_step;
  for (const CsvRow& row : view_of(temp / "run", "ops", {"--group-by", "step"})) {
    if (row.at("name") == "aten::addmm") by_step[row.at("step")] += number(row.at("calls"));
  }
  CHECK(by_step == std::map<std::string, long long>{{"9", 6}, {"10", 6}, {"14", 6}, {"15", 6}});
  // The events are those of the active steps: 9 and 10, 14 and 15.
  const auto trace = temp / "trace.json";
  REQUIRE(Command({prof_program().string(), "export", (temp / "run").string(), "-f", "chrome", "-o", trace.string()})
              .run()
              .ok());
  std::ifstream file(trace);
  const Json events = Json::parse(file).at("traceEvents");
  CHECK(std::count_if(events.begin(), events.end(), [](const Json& e) {
          return e.value("name", "") == "aten::addmm" && e.value("ph", "") == "X";
        }) == 4 * 6);
}

// Catches steps that hear of fewer waits once a thread waits so often that only some of them get a stack.
TEST_CASE("what a step waits for is all of it, however often its thread waits") {
  TempDir temp;
  const Outcome run = Command({kPython, "-c",
                               "import time\n"
                               "def step():\n"
                               "    for _ in range(16): time.sleep(0.0005)\n"
                               "for _ in range(150): step()\n"})
                          .set("PROF_STEP", "step")
                          .profiled(temp / "run")
                          .run();
  INFO(run.err);
  REQUIRE(run.ok());
  double in_steps = 0;
  long long steps = 0;
  for (const CsvRow& step : view_of(temp / "run", "steps")) {
    steps += number(step.at("steps"));
    in_steps += seconds(step, "blocked_sleep");
  }
  CHECK(steps == 150);
  const CsvRow sleeps = row_where(view_of(temp / "run", "blocking"), "call", "clock_nanosleep");
  CHECK(number(sleeps.at("calls")) == 150 * 16);
  CHECK(in_steps == Approx(seconds(sleeps, "total")).epsilon(0.02));
}
