// What holds event loops up: turns that lasted long, on the line that was seen in them.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/interpreters.hpp"
#include "tests/support/python_stacks.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof;
using namespace prof::test;

namespace {

struct Turns {
  int count = 0, events = 0;
  double total_s = 0, max_s = 0, busy_s = 0;
};

// By function.
std::map<std::string, Turns> turns_of(const std::filesystem::path& run) {
  std::map<std::string, Turns> out;
  const Report report = Report::of(run);
  for (const Json& row : report.section("loops")) {
    const auto name = row.at("site").at("name").get<std::string>();
    Turns& turns = out[name == "sleeps" ? name : "computes"];  // or a function that it calls
    turns.count += row.at("count").get<int>();
    turns.events += row.at("events").get<int>();
    turns.total_s += row.at("total_s").get<double>();
    turns.busy_s += row.at("busy_s").get<double>();
    turns.max_s = std::max(turns.max_s, row.at("max_s").get<double>());
  }
  return out;
}

std::map<std::string, Turns> turns_of_victim(const char* how) {
  TempDir temp;
  const Outcome run = Command::victim("event_loop", {how}).profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  return turns_of(temp / "run");
}

template <class Key>
int all_of(const std::map<Key, Turns>& turns) {
  int count = 0;
  for (const auto& [key, its] : turns) count += its.count;
  return count;
}

}  // namespace

// Catches short turns that count, and time that is the loop's own wait.
TEST_CASE("long turns of an event loop have their number, their time and their place") {
  const auto turns = turns_of_victim("turns");
  CHECK(all_of(turns) == 16);
  REQUIRE(turns.count("computes") == 1);
  REQUIRE(turns.count("sleeps") == 1);
  CHECK(turns.at("sleeps").count == 6);
  CHECK(turns.at("sleeps").events == 12);
  CHECK(turns.at("sleeps").total_s >= 0.24);
  CHECK(turns.at("sleeps").max_s >= 0.04);
  CHECK(turns.at("computes").count == 10);
  CHECK(turns.at("computes").events == 20);
  CHECK(turns.at("computes").total_s >= 0.3);
  CHECK(turns.at("computes").busy_s >= 0.2);
  CHECK(turns.at("sleeps").busy_s >= 0.23);
}

// Catches a loop that is forgotten for one inside of it, whose own turns are short.
TEST_CASE("a loop that is run in a turn of another one takes nothing from it") {
  const auto turns = turns_of_victim("nested");
  CHECK(all_of(turns) == 10);
}

// Catches two sets of one number that are taken for one.
TEST_CASE("a set that is made anew for each wait is no loop") { CHECK(all_of(turns_of_victim("anew")) == 0); }

// Catches what a thread before left behind.
TEST_CASE("each thread has its own loop") {
  const auto turns = turns_of_victim("threads");
  CHECK(all_of(turns) == 20);
}

// Catches turns of other lines and other tasks, and programs that wait for descriptors by themselves.
TEST_CASE("what holds up a loop of asyncio is told by line and task") {
  REQUIRE_FALSE(interpreters().empty());
  for (const Interpreter& interpreter : interpreters()) {
    INFO(interpreter.program.string());
    TempDir temp;
    const Outcome run = python_victim(interpreter, "held_loop.py").profiled(temp / "run").run();
    INFO(run);
    REQUIRE(run.ok());
    const Report report = Report::of(temp / "run");
    std::map<int, Turns> by_line;
    for (const Json& row : report.section("loops")) {
      if (!row.at("own").get<bool>()) continue;
      Turns& turns = by_line[row.at("site").at("line").get<int>()];
      turns.count += row.at("count").get<int>();
      turns.max_s = std::max(turns.max_s, row.at("max_s").get<double>());
      CHECK(row.at("events").get<int>() >= row.at("count").get<int>());
    }
    // What else was seen in a turn may be what it is told of: a line of main() between the two.
    CHECK(all_of(by_line) == 20);
    CHECK(by_line[static_cast<int>(run.fact("computes_line"))].count >= 10);
    CHECK(by_line[static_cast<int>(run.fact("computes_line"))].max_s >= 0.06);
    CHECK(by_line[static_cast<int>(run.fact("sleeps_line"))].count >= 7);
  }
}
