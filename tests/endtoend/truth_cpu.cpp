// CPU times, compared with programs that know how they spent theirs.
#include <time.h>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/perf_events.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

constexpr double kNs = 1e-9;

void check_shares(const Command& burns) {
  TempDir temp;
  const Outcome run = Command(burns).profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  const double all = report.tottime("burn_sixty") + report.tottime("burn_thirty") + report.tottime("burn_ten");
  REQUIRE(all > 0.9 * static_cast<double>(run.fact("cpu_ns")) * kNs);
  CHECK(report.tottime("burn_sixty") / all == Approx(0.60).margin(0.02));
  CHECK(report.tottime("burn_thirty") / all == Approx(0.30).margin(0.02));
  CHECK(report.tottime("burn_ten") / all == Approx(0.10).margin(0.02));
  CHECK(report.cumtime("main") == Approx(static_cast<double>(run.fact("cpu_ns")) * kNs).epsilon(0.02));
}

double total_samples(const Report& report) {
  double samples = 0;
  for (const Json& f : report.section("functions"))
    samples += f.at("samples").is_null() ? 0 : f.at("samples").get<double>();
  return samples;
}

}  // namespace

// Catches callers that are lost behind assembly that keeps its stack pointer elsewhere.
TEST_CASE("callers of assembly that puts its stack pointer aside are known") {
  TempDir temp;
  const Outcome run = Command::victim("saved_pointer").profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  CHECK(report.tottime("spins_in_frame") > 0.45);
  CHECK(report.tottime("spins_below") > 0.45);
  CHECK(report.cumtime("calls_in_frame") == Approx(report.cumtime("spins_in_frame")).margin(0.03));
  CHECK(report.cumtime("calls_below") == Approx(report.cumtime("spins_below")).margin(0.03));
  CHECK(report.section("loss").at("stacks_truncated") == 0);
}

// Catches samplers that count ticks of a timer which fires less often than it was asked to.
TEST_CASE("three functions that burn 60/30/10 % come out within 2 points at the default rate") {
  check_shares(Command::victim("burn_shares", {"8000"}));
}
TEST_CASE("three functions that burn 60/30/10 % come out within 2 points at 1 kHz") {
  check_shares(Command::victim("burn_shares", {"3000"}).set("PROF_CPU", "1000"));
}
TEST_CASE("three functions that burn 60/30/10 % come out within 2 points by CPU timers", "[alone]") {
  TempDir temp;
  const Outcome run = Command::victim("burn_shares", {"4000"})
                          .profiled(temp / "run")
                          .set("PROF_CPU", "250")
                          .set("PROF_TICKS", "timer")
                          .run();
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  const double cpu = static_cast<double>(run.fact("cpu_ns")) * kNs;
  CHECK(report.tottime("burn_sixty") / cpu == Approx(0.60).margin(0.02));
  CHECK(report.tottime("burn_ten") / cpu == Approx(0.10).margin(0.02));
}

// Catches ticks in step with the program: each would meet one or two of the five.
TEST_CASE("five functions in turns of ten milliseconds have a fifth each", "[alone]") {
  TempDir temp;
  const Outcome run = Command::victim("burn_in_step", {"5000"}).profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  for (const char* name : {"burn_first", "burn_second", "burn_third", "burn_fourth", "burn_fifth"}) {
    INFO(name);
    CHECK(report.cumtime(name) / report.cumtime("main") == Approx(0.2).margin(0.08));
  }
}

// Catches timers whose next tick is due while one is handled, and is none: every second one was lost at 200 a second.
TEST_CASE("the first seconds of a thread are sampled twice as often where no rate is given") {
  const auto samples_per_second = [](Command burns) {
    TempDir temp;
    const Outcome run = burns.profiled(temp / "run").run();
    INFO(run);
    REQUIRE(run.ok());
    const Report report = Report::of(temp / "run");
    return total_samples(report) / report.cpu_s();
  };
  const Command burns = Command::victim("burn_shares", {"2000"});
  CHECK(samples_per_second(Command(burns).set("PROF_CPU", "100")) == Approx(100).margin(15));
  timespec tick{};
  clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
  if (tick.tv_nsec > 4'000'000) return;  // the kernel's timers tick no more often
  CHECK(samples_per_second(burns) == Approx(200).margin(30));
  CHECK(samples_per_second(Command(burns).set("PROF_CPU", "200")) == Approx(200).margin(30));
}

// Catches weights that are periods instead of CPU time, and time at a program's start and end that nobody sees.
TEST_CASE("the sum of tottime is the process's CPU time within 1 %") {
  TempDir temp;
  const Outcome run = Command::victim("burn_shares", {"3000"}).profiled(temp / "run").run();
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  const double cpu = static_cast<double>(run.fact("cpu_ns")) * kNs;
  CHECK(report.tottime_of_all() == Approx(cpu).epsilon(0.01));
  CHECK(report.cpu_s() == Approx(cpu).epsilon(0.01));
  // What no sample stands for must not be where the sum comes from.
  CHECK(report.tottime("(unsampled)") < 0.02 * cpu);
}

// Catches agents that forget the time of threads which end before their first tick.
TEST_CASE("the sum of tottime holds for threads shorter than a sampling period") {
  TempDir temp;
  const Outcome run = Command::victim("thread_bursts", {"400"}).profiled(temp / "run").run();
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  const double cpu = static_cast<double>(run.fact("cpu_ns")) * kNs;
  CHECK(report.tottime_of_all() == Approx(cpu).epsilon(0.01).margin(0.005));
}

// Catches reports that add cumtime once per frame.
TEST_CASE("recursion counts once in cumtime") {
  TempDir temp;
  const Outcome run = Command::victim("recursion", {"50"}).profiled(temp / "run").set("PROF_CPU", "1000").run();
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  const double direct = static_cast<double>(run.fact("direct_ns")) * kNs;
  const double mutual = static_cast<double>(run.fact("mutual_ns")) * kNs;
  CHECK(report.cumtime("direct") == Approx(direct).epsilon(0.05));
  CHECK(report.cumtime("even") == Approx(mutual).epsilon(0.05));
  CHECK(report.tottime("even") == Approx(mutual / 2).epsilon(0.10));
  CHECK(report.tottime("direct") + report.cumtime("leaf_work") == Approx(report.cumtime("direct")).epsilon(0.05));
  CHECK(report.cumtime("main") <= report.cpu_s() * 1.0001);
}

// Catches promises of a rate that CPU timers cannot keep: they tick at most at the kernel's own HZ.
TEST_CASE("1 kHz gives about 1000 samples for a second of CPU time where perf events are allowed") {
  TempDir temp;
  const Outcome run = Command::victim("burn_shares", {"2000"}).profiled(temp / "run").set("PROF_CPU", "1000").run();
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  const double cpu = static_cast<double>(run.fact("cpu_ns")) * kNs;
  const double rate = total_samples(report) / cpu;
  INFO("samples for a second of CPU time: " << rate);
  if (perf_events_allowed()) {
    CHECK(rate > 800);
    CHECK(rate < 1100);
  } else {
    WARN("perf events are not allowed here");
    CHECK(rate > 80);
  }
  CHECK(report.tottime_of_all() == Approx(cpu).epsilon(0.01));
}

TEST_CASE("PROF_CPU=off takes no samples and still knows the CPU time") {
  TempDir temp;
  const Outcome run = Command::victim("burn_shares", {"300"}).profiled(temp / "run").set("PROF_CPU", "off").run();
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  CHECK(report.tottime("burn_sixty") == 0);
  CHECK(report.cpu_s() == Approx(static_cast<double>(run.fact("cpu_ns")) * kNs).epsilon(0.05));
}

// Catches perf events that do not see the kernel: its time must not be booked on whoever runs next.
TEST_CASE("time in system calls belongs to who made them") {
  const std::string hz = GENERATE(as<std::string>{}, "100", "1000");
  INFO("at " << hz << " Hz");
  TempDir temp;
  const Outcome run = Command::victim("kernel_time", {"4000"}).profiled(temp / "run").set("PROF_CPU", hz).run();
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  CHECK(report.cumtime("in_kernel") == Approx(static_cast<double>(run.fact("kernel_ns")) * kNs).epsilon(0.15));
  CHECK(report.cumtime("in_user") == Approx(static_cast<double>(run.fact("user_ns")) * kNs).epsilon(0.15));
}

// Catches stacks that are cut without a word: what is missing must be counted.
TEST_CASE("a stack deeper than the limit is cut and counted, and complete when the limit allows") {
  TempDir cut, whole;
  REQUIRE(Command::victim("deep_stack", {"500"}).profiled(cut / "run").run().ok());
  REQUIRE(Command::victim("deep_stack", {"500"}).profiled(whole / "run").set("PROF_DEPTH", "1024").run().ok());
  const Report shallow = Report::of(cut / "run"), deep = Report::of(whole / "run");
  CHECK(shallow.tottime("at_the_bottom") == Approx(0.3).epsilon(0.1));
  CHECK(shallow.cumtime("main") < 0.1);
  CHECK(shallow.section("loss").at("stacks_truncated").get<long>() > 10);
  CHECK(deep.cumtime("main") == Approx(0.3).epsilon(0.1));
  CHECK(deep.section("loss").at("stacks_truncated").get<long>() == 0);
  CHECK(deep.site_sum("main", "allocated_bytes") == Approx(50 << 20).epsilon(0.02));
}

// Catches symbols that are read from whatever lies at a path now.
TEST_CASE("a program that was replaced since gets no names, rather than wrong ones") {
  TempDir temp;
  const auto copy = temp / "program";
  std::filesystem::copy_file(victim_path("burn_shares"), copy);
  REQUIRE(Command({copy.string(), "200"}).profiled(temp / "run").run().ok());
  CHECK(Report::of(temp / "run").tottime("burn_sixty") > 0.08);
  std::filesystem::remove(copy);
  std::filesystem::copy_file(victim_path("recursion"), copy);
  const Report report = Report::of(temp / "run");
  for (const char* function : {"direct", "even", "odd", "leaf_work", "burn_sixty"})
    CHECK(report.cumtime(function) == 0);
  CHECK(report.tottime_of_all() > 0.15);
}
