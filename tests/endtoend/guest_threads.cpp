// Threads of all kinds and sizes, and forks among them.
#include <algorithm>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

// Catches handlers and hooks that need more stack than a thread has, and libraries with large thread-local storage.
TEST_CASE("threads on 64 KiB stacks and on the smallest ones work under sampling") {
  const std::string bytes = GENERATE(as<std::string>{}, "65536", "16384");
  TempDir temp;
  const Outcome run = check_survives(
      Command::victim("small_stacks", {bytes}).set("PROF_CPU", "1000").set("PROF_HEAP", "sampled:64K"), temp / "run");
  const Report report = Report::of(temp / "run");
  CHECK(report.tottime_of_all() == Approx(static_cast<double>(run.fact("cpu_ns")) * 1e-9).epsilon(0.02));
  if (bytes == "65536") CHECK(report.tottime("work") == Approx(0.64).epsilon(0.15));
}

// Catches locks that a child inherits from a thread which does not exist there, and timers that keep fork from ending.
TEST_CASE("150 forks amid threads that allocate, load libraries and are sampled at 1 kHz") {
  TempDir temp;
  const Outcome run = check_survives(
      Command::victim("fork_storm", {"150"}).set("PROF_CPU", "1000").set("PROF_HEAP", "sampled:32K").limit(100),
      temp / "run");
  const Report report = Report::of(temp / "run");
  CHECK(report.processes().size() == 151);
  for (const Json& p : report.processes()) {
    if (p.at("pid").get<long>() == run.pid) continue;
    CHECK(p.at("ppid").get<long>() == run.pid);
    CHECK(p.at("exit_code") == 3);
  }
}

// Catches per-thread state that is never given back, in memory and in the log.
TEST_CASE("20,000 short threads cost no more memory than a few") {
  TempDir temp;
  const Outcome run = check_survives(Command::victim("many_threads", {"20000"}), temp / "run");
  CHECK(run.fact("late_kib") - run.fact("early_kib") < 1024);
  CHECK(disk_bytes(temp / "run") < 4 << 20);
  const Report report = Report::of(temp / "run");
  CHECK(report.section("run").at("threads").get<long>() == 20001);
  CHECK(report.allocations() >= 20000);
}

// Catches what every thread is given whether it needs it or not, and what it keeps when it has ended.
TEST_CASE("a thousand threads that wait take little memory, and less when they have ended") {
  constexpr long kThreads = 1000;
  TempDir temp;
  const Command victim = Command::victim("waiting_threads", {std::to_string(kThreads)});
  const Outcome bare = Command(victim).run();
  const Outcome run = check_survives(victim, temp / "run");
  CHECK(run.fact("waiting_kib") - bare.fact("waiting_kib") < 7 * kThreads);
  CHECK(run.fact("left_kib") - bare.fact("left_kib") < 2 * kThreads);
}

// Catches memory that is given back with what the next thread in the slot needs to find its records again: each thread
// would then write its own, 16 MiB in all.
TEST_CASE("waves of threads that live at once are counted exactly, in a log that does not grow with their number") {
  constexpr long kThreads = 400, kWaves = 40;
  TempDir temp;
  const Command victim = Command::victim("thread_waves", {std::to_string(kThreads), std::to_string(kWaves)});
  check_survives(victim, temp / "run");
  CHECK(disk_bytes(temp / "run") < 7 << 20);
  const Report report = Report::of(temp / "run");
  CHECK(report.section("run").at("threads").get<long>() == kThreads * kWaves + 1);
  const Json& waits = report.section("blocking");
  const auto at_barrier =
      std::find_if(waits.begin(), waits.end(), [](const Json& w) { return w.at("call") == "pthread_barrier_wait"; });
  REQUIRE(at_barrier != waits.end());
  CHECK(at_barrier->at("calls").get<long>() == kThreads * kWaves);
}

// Catches an agent that takes memory for zeros which it could not give back: its tables fill up, and a look-up never
// ends.
TEST_CASE("waves of threads in a program that has locked its memory") {
  const std::string heap = GENERATE(as<std::string>{}, "sampled", "exact");
  TempDir temp;
  const Command victim = Command::victim("thread_waves", {"30", "30", "1"});
  if (!Command::victim("thread_waves", {"1", "1", "1"}).run().ok()) return skip("memory cannot be locked here");
  check_survives(Command(victim).set("PROF_HEAP", heap), temp / "run");
  const Report report = Report::of(temp / "run");
  CHECK(report.section("run").at("threads").get<long>() == 30 * 30 + 1);
}

// Catches agents that find threads through pthread_create alone, or leave their signal blocked where the host blocked
// all.
TEST_CASE("threads of every kind are sampled, those that block all signals too") {
  const std::string ticks = GENERATE(as<std::string>{}, "auto", "timer");
  TempDir temp;
  check_survives(Command::victim("thread_kinds").set("PROF_TICKS", ticks), temp / "run");
  const Report report = Report::of(temp / "run");
  for (const char* function :
       {"in_thrd", "in_detached", "in_own_stack", "in_blocked", "in_inherited_block", "in_leaving", "in_cancelled"}) {
    INFO(function);
    CHECK(report.tottime(function) == Approx(0.2).margin(0.05));
  }
}

// Catches hooks that run on a thread's state after it was taken apart.
TEST_CASE("allocations while a thread is taken apart are counted exactly") {
  TempDir none, full;
  check_survives(Command::victim("thread_ends", {"0"}), none / "run");
  const Outcome run = check_survives(Command::victim("thread_ends", {"1"}), full / "run");
  const Report before = Report::of(none / "run"), after = Report::of(full / "run");
  CHECK(after.allocations() - before.allocations() == run.fact("allocations"));
  CHECK(after.allocated_bytes() - before.allocated_bytes() == run.fact("bytes"));
}
