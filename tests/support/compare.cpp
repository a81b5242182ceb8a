#include "tests/support/compare.hpp"

#include <iostream>

#include "tests/support/catch.hpp"

namespace prof::test {

BothWays run_both_ways(Command command, const std::filesystem::path& run_dir) {
  BothWays both;
  both.alone = command.run();
  both.with = command.profiled(run_dir).run();
  return both;
}

void check_same_end(const BothWays& both) {
  INFO("alone: " << both.alone);
  INFO("under the agent: " << both.with);
  CHECK(both.with.exit_code == both.alone.exit_code);
  CHECK(both.with.signal == both.alone.signal);
  CHECK_FALSE(both.alone.timed_out);
  CHECK_FALSE(both.with.timed_out);
  CHECK(both.with.error_lines().size() <= both.alone.error_lines().size() + 1);
}

void check_same(const BothWays& both) {
  check_same_end(both);
  const bool same_output = both.with.out == both.alone.out;
  INFO("alone: " << both.alone);
  INFO("under the agent: " << both.with);
  CHECK(same_output);
}

Outcome check_survives(Command command, const std::filesystem::path& run_dir) {
  const Outcome outcome = command.profiled(run_dir).run();
  INFO(outcome);
  REQUIRE(outcome.ok());
  REQUIRE(outcome.error_lines().size() <= 1);
  return outcome;
}

void skip(const std::string& reason) {
  std::cout << "SKIPPED: " << reason << std::endl;
  SUCCEED(reason);
}

}  // namespace prof::test
