// Runs a program alone and under the agent, and compares what an onlooker sees.
#pragma once

#include "tests/support/command.hpp"

namespace prof::test {

struct BothWays {
  Outcome alone, with;
};

// Runs `command` bare and then profiled into `run_dir`.
BothWays run_both_ways(Command command, const std::filesystem::path& run_dir);

// Fails the test unless both ended alike and the agent added one line to stderr at most.
void check_same_end(const BothWays& both);
// The same, and stdout must be equal byte for byte.
void check_same(const BothWays& both);

// Runs a victim that judges itself (it ends with another status than 0 when something is wrong) under the agent with
// the given settings; fails the test unless it succeeds. Returns what became of it.
Outcome check_survives(Command command, const std::filesystem::path& run_dir);

// Says visibly why a test cannot be made here; ctest then counts it as skipped. To be followed by a return.
void skip(const std::string& reason);

}  // namespace prof::test
