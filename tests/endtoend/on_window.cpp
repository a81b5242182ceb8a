// `prof run --on-window`: commands for windows of a schedule, while the program that they are of goes on.
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/interpreters.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/text_file.hpp"

using namespace prof::test;

namespace {

// Steps until the command of the second window has been there.
constexpr char kProgram[] = R"(import os, sys, time
def one_step():
    time.sleep(0.01)
steps = 0
while steps < 9 or (not os.path.exists(sys.argv[1]) and steps < 6000):
    one_step()
    steps += 1
print(steps)
)";

}  // namespace

// Catches commands that wait for the end of the program, that run twice or out of order, and a log that cannot be read
// while it is written.
TEST_CASE("a command runs for each window of a schedule, and can read the run that goes on") {
  if (interpreters().empty()) {
    WARN("skipped: no Python interpreter");
    return;
  }
  const std::string python = interpreters().back().program.string();
  TempDir temp;
  const std::string program = (temp / "steps.py").string(), seen = (temp / "seen").string();
  std::ofstream(program) << kProgram;
  const std::string command = "'" + prof_program().string() +
                              "' report \"$PROF_RUN_DIR\" --view steps --format csv > '" + temp.path().string() +
                              "'/steps.$PROF_WINDOW && echo $PROF_WINDOW $PROF_WINDOW_PID >> '" + temp.path().string() +
                              "'/told && if [ $PROF_WINDOW = 2 ]; then : > '" + seen + "'; fi";
  const Outcome run =
      Command({prof_program().string(), "run", "-o", (temp / "run").string(), "--step", "one_step", "--schedule",
               "skip_first=1,wait=1,warmup=1,active=2,repeat=2", "--on-window", command, "--", python, program, seen})
          .limit(140)
          .run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  const std::string pid = std::to_string(report.section("processes").at(0).at("pid").get<long>());
  CHECK(content(temp / "told") == "1 " + pid + "\n2 " + pid + "\n");
  // It was there before the end: the program waited for it.
  const long long steps = std::stoll(run.out);
  CHECK(steps < 6000);
  CHECK(report.section("steps").at(0).at("steps") == steps);
  // The first window ends with step 5; what the command saw then are whole steps, none of them twice.
  const std::string first = content(temp / "steps.1");
  INFO(first);
  CHECK(first.find("\r\n" + pid + ",,5,1,") != std::string::npos);
  CHECK(first.find("\r\n" + pid + ",,5,1,") == first.rfind("\r\n" + pid + ",,5,1,"));
}

TEST_CASE("windows that end last are told before prof run ends; a command that fails changes nothing") {
  if (interpreters().empty()) {
    WARN("skipped: no Python interpreter");
    return;
  }
  TempDir temp;
  const std::string program = (temp / "steps.py").string(), told = (temp / "told").string();
  std::ofstream(program) << "def one_step(): pass\nfor i in range(4): one_step()\nraise SystemExit(7)\n";
  const Outcome run = Command({prof_program().string(), "run", "-o", (temp / "run").string(), "--step", "one_step",
                               "--schedule", "active=2", "--on-window", "echo $PROF_WINDOW >> '" + told + "'; exit 5",
                               "--", interpreters().back().program.string(), program})
                          .limit(140)
                          .run();
  INFO(run);
  CHECK(run.exit_code == 7);
  CHECK(content(told) == "1\n2\n");
  CHECK(run.err.find("ended with status 5 for window 1") != std::string::npos);
  CHECK(run.err.find("ended with status 5 for window 2") != std::string::npos);
}

TEST_CASE("a command for windows wants a schedule") {
  const Outcome run = Command({prof_program().string(), "run", "--on-window", "true", "--", "/bin/true"}).run();
  INFO(run);
  CHECK(run.exit_code == 2);
  CHECK(run.err.find("--schedule") != std::string::npos);
}
