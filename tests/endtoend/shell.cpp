// Scripts that bash runs: what its lines compute and wait for.
#include <algorithm>
#include <fstream>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

constexpr const char* kLibrary = R"(helper() {
  local k
  for ((k = 0; k < 30000; k++)); do
    y=$((y + k % 5))
  done
}
sleep 0.2
)";

constexpr const char* kScript = R"(#!/bin/bash
. "$(dirname "$0")/lib.sh"
spin() {
  local i
  for ((i = 0; i < 40000; i++)); do
    x=$((x + i % 7))
  done
}
function cut_off {
  local queue=({1..4000})
  while ((${#queue[@]} > 3200)); do
    queue=("${queue[@]:1}")
  done
}
spin
cut_off
sleep 0.3
for n in 1 2 3; do
  sleep 0.1
done
text=$(sleep 0.25; echo end)
helper
(
  sleep 0.15
)
echo "$x $y $text"
)";

// What stands in a column of a line of the script; 0: it is not told.
double of_line(const Json& own, const char* column, int line) {
  for (const Json& row : own) {
    const bool here = row.at("file").is_string() && row.at("file").get<std::string>().ends_with("/job.sh");
    if (here && row.at("line") == line) return row.at(column).get<double>();
  }
  return 0;
}

}  // namespace

// Catches all of a script told as functions of bash's, and lines of what it sources told as its own.
TEST_CASE("lines of a script of bash have what they compute and wait for") {
  TempDir temp;
  std::ofstream(temp / "lib.sh") << kLibrary;
  std::ofstream(temp / "job.sh") << kScript;
  const Outcome bare = Command({"/bin/bash", (temp / "job.sh").string()}).run();
  const Outcome run =
      Command({"/bin/bash", (temp / "job.sh").string()}).set("PROF_CPU", "1000").profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  CHECK(run.out == bare.out);
  const Report report = Report::of(temp / "run");
  const Json& own = report.section("own");
  INFO(own.dump(1));
  CHECK(of_line(own, "cpu_s", 6) > 0.02);
  CHECK(of_line(own, "cpu_s", 12) > 0.1);
  CHECK(of_line(own, "blocked_s", 17) == Approx(0.3).epsilon(0.1));
  CHECK(of_line(own, "blocked_s", 19) == Approx(0.3).epsilon(0.1));
  CHECK(of_line(own, "blocked_s", 21) > 0.24);  // by the shell, and by its copy
  CHECK(of_line(own, "blocked_s", 25) > 0.14);
  // Lines 4 and 7 of the library are none of the script's.
  CHECK(of_line(own, "cpu_s", 4) + of_line(own, "cpu_s", 3) < 0.01);
  CHECK(of_line(own, "blocked_s", 7) == 0);
  // Functions of the script's, in its own file.
  const auto is_spin = [](const Json& function) {
    return function.at("name") == "spin" && function.at("line") == 3 && function.at("language") == "shell";
  };
  const Json& functions = report.section("functions");
  CHECK(std::any_of(functions.begin(), functions.end(), is_spin));
}

// Catches a shell without a script told by its name: "bash:1".
TEST_CASE("a shell that is given commands has no lines of a script") {
  TempDir temp;
  const Outcome run = Command({"/bin/bash", "-c", "for ((i = 0; i < 20000; i++)); do ((x += i)); done; sleep 0.1"})
                          .set("PROF_CPU", "1000")
                          .profiled(temp / "run")
                          .run();
  REQUIRE(run.ok());
  for (const Json& row : Report::of(temp / "run").section("own")) CHECK_FALSE(row.at("line") == 1);
}
