// The guest never waits: not for a thread that is stopped, was left by a jump, or may not run.
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

long long kernels_limit() {
  long long most = 0;
  std::ifstream("/proc/sys/vm/max_map_count") >> most;
  return most;
}

}  // namespace

// Catches locks that are taken with signals open: a collector stops a thread that has one, and needs it itself.
TEST_CASE("a thread that a collector stops keeps nothing from it") {
  const std::string heap = GENERATE(as<std::string>{}, "auto", "exact");
  TempDir temp;
  Command command = Command::victim("stop_the_world", {"1500", "1000"}).set("PROF_CPU", "1000");
  if (heap != "auto") command.set("PROF_HEAP", heap);
  check_survives(command, temp / "run");
}

// Catches locks that a jump out of a handler leaves taken.
TEST_CASE("threads that leave what they are at by a jump keep nothing from others") {
  TempDir temp;
  check_survives(Command::victim("jump_out", {"1000", "4000"}).set("PROF_CPU", "1000"), temp / "run");
}

// Catches locks that are waited for: the holder is not to run again before the one who waits has stopped doing so.
TEST_CASE("a real-time thread does not wait for an ordinary one") {
  TempDir temp;
  const Outcome alone = Command::victim("real_time").run();
  REQUIRE(alone.ok());
  if (alone.has_fact("refused")) return skip("no real-time threads are allowed");
  const Outcome run = check_survives(Command::victim("real_time"), temp / "run");
  // The kernel has locks of its own, and lets others run after a second.
  CHECK(run.fact("longest_us") < alone.fact("longest_us") + 400'000);
}

// Catches tables that lose what comes while they are in use, that take what another thread has got at the same address
// since, and that are full before the kernel's is.
TEST_CASE("mappings are exact to the byte, whoever maps at the same time and however many there are") {
  constexpr long long kHeld = 55'000;
  if (kernels_limit() < kHeld + 10'000) return skip("vm.max_map_count allows too few mappings");
  TempDir temp;
  const Outcome run = check_survives(Command::victim("many_mappings", {std::to_string(kHeld), "100000"}), temp / "run");
  const Report report = Report::of(temp / "run");
  CHECK(report.site_sum("hold", "live_bytes", "mappings") == Approx(run.fact("held")).epsilon(0).margin(0.5));
  CHECK(report.site_sum("churn", "live_bytes", "mappings") == Approx(run.fact("left")).epsilon(0).margin(0.5));
}
