// The profiler's own time: what it says of itself, where that stands in the tables, and how little it is where nothing
// happens.
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/log_file.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof;
using namespace prof::test;

namespace {

constexpr double kOwnNs = 1e-9;

LogFile own_log(const TempDir& temp) {
  const auto logs = logs_in(temp / "run");
  REQUIRE(logs.size() == 1);
  return LogFile(logs[0]);
}

}  // namespace

// Catches ticks that are dropped while a hook is at work: what they stand for is then the next function's, which has
// nothing to do with it.
TEST_CASE("time in hooks is the profiler's own, and no other function's") {
  TempDir temp;
  const Outcome run = Command::victim("hook_storm", {"1500"})
                          .profiled(temp / "run")
                          .set("PROF_HEAP", "exact")
                          .set("PROF_CPU", "1000")
                          .limit(120)
                          .run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  const double cpu = static_cast<double>(run.fact("cpu_ns")) * kOwnNs;
  const double quiet = static_cast<double>(run.fact("quiet_ns")) * kOwnNs;
  REQUIRE(quiet > 0.1 * cpu);
  REQUIRE(quiet < 0.8 * cpu);
  CHECK(report.tottime("quiet") == Approx(quiet).margin(0.06 * cpu));
  CHECK(report.tottime("(profiler)") > 0.1 * cpu);
  CHECK(report.tottime("(profiler)") < cpu - quiet);
  CHECK(report.tottime_of_all() == Approx(cpu).epsilon(0.02));
  // By the clock, at one call in many, it is about the same.
  const double own = report.section("overhead").at("agent_cpu_s").get<double>();
  CHECK(own > 0.4 * report.tottime("(profiler)"));
  CHECK(own <= report.cpu_s());
}

// Catches hooks that are too short to be timed taken for a part of the function that calls them: a program of small
// blocks spent a fifth of its time on counting them, and was told of a hundredth.
TEST_CASE("time in hooks that only count is the profiler's own") {
  TempDir temp;
  const Outcome run = Command::victim("hook_storm", {"1500"}).profiled(temp / "run").limit(120).run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  const double cpu = static_cast<double>(run.fact("cpu_ns")) * kOwnNs;
  const double storm = cpu - static_cast<double>(run.fact("quiet_ns")) * kOwnNs;
  const double counting = report.tottime("(profiler)");
  CHECK(counting > 0.1 * storm);
  CHECK(counting < 0.8 * storm);
  CHECK(report.section("overhead").at("agent_cpu_s").get<double>() == Approx(counting).epsilon(0.2));
  CHECK(report.tottime_of_all() == Approx(cpu).epsilon(0.02));
}

// Catches ticks that were blocked, as they are in a fork, taken for the work of the hook that lets them in again: a
// program that forked with 500 MB in memory was told that two thirds of its time were the profiler's.
TEST_CASE("what a fork takes is the host's, though ticks wait until it is over") {
  TempDir temp;
  const Outcome run = Command::victim("fork_large").profiled(temp / "run").limit(120).run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  const double forks = static_cast<double>(run.fact("fork_ns")) * kOwnNs;
  CHECK(report.tottime("(profiler)") < 0.3 * forks);
  CHECK(report.section("overhead").at("agent_cpu_s").get<double>() < 0.3 * forks);
  // Each tick that waited comes when a fork is over: what was computed before it is not the fork's for that.
  const double between = static_cast<double>(run.fact("between_ns")) * kOwnNs;
  CHECK(report.tottime("between") == Approx(between).epsilon(0.35));
  CHECK(report.cumtime("main") - report.cumtime("between") == Approx(forks).epsilon(0.35));
}

// Catches agents that measure themselves by the wall clock: who shares a processor is preempted in the middle of a
// sample, and then is its own for as long as others run.
TEST_CASE("the profiler's own time is CPU time, however crowded the machine is") {
  TempDir temp;
  const Outcome run =
      Command::victim("crowded", {"600"}).profiled(temp / "run").set("PROF_CPU", "1000").limit(120).run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  const double own = report.section("overhead").at("agent_cpu_s").get<double>();
  CHECK(own > 0);
  CHECK(own < 0.25 * report.cpu_s());
  for (const Json& process : report.processes("crowded")) {
    INFO(process.at("pid"));
    CHECK(process.at("agent_cpu_s").get<double>() < 0.4 * process.at("cpu_s").get<double>());
  }
  // Of what the tables show nothing is missing, and nothing is there twice.
  CHECK(report.tottime_of_all() == Approx(report.cpu_s()).epsilon(0.01));
}

// Catches looks that come at a fixed rate for as long as a process lives: ten a second were 60.
TEST_CASE("an idle program is looked at rarely, and what that takes is the profiler's") {
  TempDir temp;
  const Outcome run = Command::victim("idle_timer", {"6"}).profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const LogFile file = own_log(temp);
  const std::size_t looks = file.series().size();
  CHECK(looks >= 4);
  CHECK(looks <= 40);
  // The process has a second thread: looks are taken apart, by a helper that is no thread of the program.
  const double helpers = static_cast<double>(file.header.helper_cpu_ns) * kOwnNs;
  CHECK(helpers > 0);
  const Report report = Report::of(temp / "run");
  CHECK(report.tottime("(profiler)") >= 0.99 * helpers);
  CHECK(report.section("overhead").at("agent_cpu_s").get<double>() >= 0.99 * helpers);
  CHECK(report.tottime_of_all() == Approx(report.cpu_s()).epsilon(0.001));
}
