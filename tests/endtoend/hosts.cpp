// A program that does from a seed everything a program may do, bare and under the agent in each mode: the same outcome,
// nothing on stderr, and logs that can be read. Its steps check what they get: a failure names the seed, the thread,
// the step and the operation, and `host --seed N --only OPERATION` does no more than that.
#include <map>
#include <random>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

struct Mode {
  const char* name;
  std::map<std::string, std::string> settings;
};

Command host(const std::string& seed) {
  const std::string program = (victim_path("").parent_path().parent_path() / "hosts" / "host").string();
  return Command({program, "--seed", seed, "--steps", "60", "--patience", "40"}).limit(60);
}

// Once for all modes.
const Outcome& alone(const std::string& seed) {
  static std::map<std::string, Outcome> known;
  const auto at = known.find(seed);
  return at == known.end() ? known.emplace(seed, host(seed).run()).first->second : at->second;
}

void compare(const Mode& mode, const std::string& seed) {
  INFO("mode " << mode.name << ", seed " << seed);
  const Outcome& bare = alone(seed);
  INFO(bare);
  REQUIRE(bare.ok());
  TempDir temp;
  Command command = host(seed);
  command.profiled(temp / "run").set("PROF_QUIET", "on");
  for (const auto& [name, value] : mode.settings) command.set(name, value);
  const Outcome run = command.run();
  INFO(run);
  REQUIRE(run.ok());
  CHECK(run.out == bare.out);
  CHECK(run.err == bare.err);
  CHECK(report_outcome(temp / "run").ok());  // all sections, whatever it did
  const Report report = Report::of(temp / "run");
  CHECK(report.section("loss").at("warnings") == Json::array());
  CHECK(report.section("run").at("images").get<std::size_t>() +
            report.section("loss").at("empty_logs").get<std::size_t>() ==
        logs_in(temp / "run").size());
}

}  // namespace

// Catches what no test of one thing does: a thread that ends in the midst of a storm, a jump out of a call on a small
// stack, a child that was forked while libraries came and went.
TEST_CASE("a host of everything comes out the same in every mode") {
  const Mode mode = GENERATE(Mode{"default", {}}, Mode{"exact heap", {{"PROF_HEAP", "exact"}}},
                             Mode{"python off", {{"PROF_PYTHON", "off"}}}, Mode{"trace", {{"PROF_TRACE", "4M"}}},
                             Mode{"many ticks", {{"PROF_CPU", "5000"}}});
  compare(mode, "1");
  static const std::string any = std::to_string(std::random_device{}());
  compare(mode, any);
}
