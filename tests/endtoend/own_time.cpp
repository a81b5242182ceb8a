// The profiler's own time: what it says of itself, and where that stands in the tables.
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

constexpr double kNs = 1e-9;

}  // namespace

// Catches ticks that are dropped while a hook is at work: what they stand for is then the next function's, which has
// nothing to do with it.
TEST_CASE("time in hooks is the profiler's own, and no other function's") {
  TempDir temp;
  const Outcome run = Command::victim("hook_storm", {"2500"}).profiled(temp / "run").set("PROF_HEAP", "exact").run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  const double cpu = static_cast<double>(run.fact("cpu_ns")) * kNs;
  const double quiet = static_cast<double>(run.fact("quiet_ns")) * kNs;
  REQUIRE(quiet > 0.1 * cpu);
  REQUIRE(quiet < 0.8 * cpu);
  CHECK(report.tottime("quiet") == Approx(quiet).epsilon(0.05).margin(0.04 * cpu));
  CHECK(report.tottime("(profiler)") > 0.1 * cpu);
  CHECK(report.tottime("(profiler)") < cpu - quiet);
  CHECK(report.tottime_of_all() == Approx(cpu).epsilon(0.02));
  // By the clock and by samples it is the same.
  const double own = report.json().at("overhead").at("agent_cpu_s").get<double>();
  CHECK(own == Approx(report.tottime("(profiler)")).epsilon(0.35));
}

// Catches agents that measure themselves by the wall clock: who shares a processor is preempted in the middle of a
// sample, and then is its own for as long as others run.
TEST_CASE("the profiler's own time is CPU time, however crowded the machine is") {
  TempDir temp;
  const Outcome run = Command::victim("crowded", {"600"}).profiled(temp / "run").set("PROF_CPU", "1000").run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  const double own = report.json().at("overhead").at("agent_cpu_s").get<double>();
  CHECK(own > 0);
  CHECK(own < 0.25 * report.cpu_s());
  for (const Json& process : report.processes("crowded")) {
    INFO(process.at("pid"));
    CHECK(process.at("agent_cpu_s").get<double>() < 0.25 * process.at("cpu_s").get<double>());
  }
  // Of what the tables show nothing is missing, and nothing is there twice.
  CHECK(report.tottime_of_all() == Approx(report.cpu_s()).epsilon(0.01));
}
