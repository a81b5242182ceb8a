// Figures by task of asyncio, compared with programs that know which task they burnt their time for.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/interpreters.hpp"
#include "tests/support/python_stacks.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

std::map<std::string, Json> tasks_of(const Report& report) {
  std::map<std::string, Json> rows;
  const Json& all = report.section("tasks");
  if (all.is_null()) return rows;
  for (const Json& row : all) {
    const bool is_new = rows.emplace(row.at("name").get<std::string>(), row).second;
    INFO(row);
    CHECK(is_new);
  }
  return rows;
}

double seconds_in(const std::map<std::string, Json>& tasks, const std::string& name, const char* figure = "cpu_s") {
  const auto found = tasks.find(name);
  return found == tasks.end() || found->second.at(figure).is_null() ? 0 : found->second.at(figure).get<double>();
}

struct Tasks {
  Outcome run;
  std::map<std::string, Json> rows;
  Json warnings;
};

Tasks run_tasks(const Interpreter& interpreter, const std::string& way, const std::string& seconds,
                const std::string& heap = "off") {
  TempDir temp;
  Tasks out;
  out.run = python_victim(interpreter, "task_shares.py", {way, seconds})
                .profiled(temp / "run")
                .set("PROF_CPU", "5000")
                .set("PROF_HEAP", heap)
                .run();
  INFO(out.run);
  REQUIRE(out.run.ok());
  const Report report = Report::of(temp / "run");
  out.rows = tasks_of(report);
  out.warnings = report.section("loss").at("warnings");
  return out;
}

// Layouts of tasks differ, how they are used does not: what all interpreters are held to once, the first and the newest
// are held to in all ways.
std::vector<Interpreter> two_interpreters() {
  std::vector<Interpreter> two{interpreters().front()};
  const auto newest = std::ranges::max_element(
      interpreters(), [](auto& a, auto& b) { return std::pair(a.minor, b.build) < std::pair(b.minor, a.build); });
  if (newest->program != two.front().program) two.push_back(*newest);
  return two;
}

// Each within 2 points of what it burnt, of all that was burnt.
void check_shares(const Tasks& tasks, const std::set<std::string>& names) {
  double spent = 0, told = 0;
  for (const std::string& name : names) {
    spent += static_cast<double>(tasks.run.fact("us_" + name)) * 1e-6;
    told += seconds_in(tasks.rows, name);
  }
  REQUIRE(told > 0);
  for (const std::string& name : names) {
    INFO(name << ": " << seconds_in(tasks.rows, name) << " s of " << told << " s, burnt "
              << tasks.run.fact("us_" + name) << " us of " << spent << " s");
    CHECK(std::abs(seconds_in(tasks.rows, name) / told -
                   static_cast<double>(tasks.run.fact("us_" + name)) * 1e-6 / spent) < 0.02);
  }
  // None of it is lost: what is no task's are the loop, imports and the interpreter's start and end.
  INFO(told << " s of " << spent << " s");
  CHECK(told > 0.93 * spent);
  CHECK(told < 1.1 * spent + 0.03);
}

}  // namespace

// Catches agents that know the coroutine and not the task, and those that take the task of the callback before.
TEST_CASE("three tasks of one coroutine that burn 60/30/10 % come out within 2 points, by their names") {
  for (const Interpreter& interpreter : interpreters()) {
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      const Tasks tasks = run_tasks(interpreter, "shares", "1.0");
      check_shares(tasks, {"heavy", "middle", "light"});
      const Json& heavy = tasks.rows.at("heavy");
      CHECK(heavy.at("coroutine") == "work");
      CHECK(heavy.at("file").get<std::string>().ends_with("/task_shares.py"));
      CHECK(heavy.at("line").get<int>() > 0);
    }
  }
}

TEST_CASE("tasks without a name are one for each coroutine, by its qualified name") {
  for (const Interpreter& interpreter : two_interpreters()) {
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      const Tasks tasks = run_tasks(interpreter, "unnamed", "1.0");
      check_shares(tasks, {"work", "Server.answer"});
      for (const auto& [name, row] : tasks.rows) CHECK_FALSE(name.starts_with("Task-"));
    }
  }
}

TEST_CASE("a task that awaits another one has its own time, and so has a task of a group") {
  for (const Interpreter& interpreter : interpreters()) {
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      const Tasks tasks = run_tasks(interpreter, "nested", "1.0");
      std::set<std::string> names{"outer", "inner"};
      if (interpreter.minor >= 11) names.insert("beside");
      check_shares(tasks, names);
    }
  }
}

TEST_CASE("loops of two threads have tasks of their own") {
  for (const Interpreter& interpreter : two_interpreters()) {
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      check_shares(run_tasks(interpreter, "threads", "1.0"), {"left", "right"});
    }
  }
}

// Catches agents that believe the loop's callback: a task that begins at once runs within another one's step.
TEST_CASE("an eager task that has not awaited yet is known by its coroutine") {
  bool any = false;
  for (const Interpreter& interpreter : interpreters()) {
    if (interpreter.minor < 12) continue;
    any = true;
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      check_shares(run_tasks(interpreter, "eager", "1.0"), {"maker", "first_step"});
    }
  }
  if (!any) skip("no interpreter here has eager tasks");
}

TEST_CASE("a task that gets another name goes on under it") {
  for (const Interpreter& interpreter : two_interpreters()) {
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      check_shares(run_tasks(interpreter, "renamed", "1.0"), {"before", "after"});
    }
  }
}

TEST_CASE("what blocks in a task is the task's") {
  for (const Interpreter& interpreter : two_interpreters()) {
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      const Tasks tasks = run_tasks(interpreter, "waits", "0.4");
      CHECK(std::abs(seconds_in(tasks.rows, "sleeper", "blocked_s") - 0.3) < 0.05);
      CHECK(std::abs(seconds_in(tasks.rows, "napper", "blocked_s") - 0.1) < 0.05);
    }
  }
}

// Stacks are remembered from one allocation to the next there, down to the loop: catches a memory that keeps the task.
TEST_CASE("what a task allocates is the task's, to the block") {
  for (const Interpreter& interpreter : two_interpreters()) {
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      if (interpreter.build.starts_with('t')) continue;  // without the GIL blocks are none of malloc's
      const Tasks tasks = run_tasks(interpreter, "memory", "0", "exact");
      CHECK(std::abs(seconds_in(tasks.rows, "hoarder", "allocated_bytes") / 9e6 - 1) < 0.05);
      CHECK(std::abs(seconds_in(tasks.rows, "saver", "allocated_bytes") / 3e6 - 1) < 0.05);
    }
  }
}

TEST_CASE("a program that names a task for each request has a bounded number of names") {
  const Tasks tasks = run_tasks(interpreters().front(), "many", "0", "exact");
  CHECK(tasks.rows.size() <= 2050);
  CHECK(tasks.rows.contains("(other tasks)"));
  CHECK(tasks.rows.contains("request-#"));
}

TEST_CASE("hostile tasks do what they do alone, and have whole names or none") {
  for (const Interpreter& interpreter : two_interpreters()) {
    for (const char* heap : {"sampled", "exact"}) {
      DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version << ", " << heap) {
        const Tasks tasks = run_tasks(interpreter, "hostile", "0.5", heap);
        for (const auto& [name, row] : tasks.rows) CHECK(name.size() <= 800);
        CHECK(tasks.rows.contains("t\u00e4sk \u20ac \U0001f600"));
        CHECK(tasks.rows.contains(std::string(200, 'x')));
        // Callbacks are no tasks.
        CHECK_FALSE(tasks.rows.contains("callback"));
        CHECK_FALSE(tasks.rows.contains("handle"));
        CHECK(tasks.warnings.empty());
      }
    }
  }
}

// Catches agents that believe a function's name and file. Reads of what another thread unmaps are tried as well, but
// meet it once in some ten seconds.
TEST_CASE("what looks like a loop's callback, and names that come and go, do no harm") {
  const auto [way, rate] = GENERATE(std::pair("lookalike", "100"), std::pair("renamed", "10000"));
  for (const Interpreter& interpreter : two_interpreters()) {
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version << ", " << way) {
      TempDir temp;
      const Outcome run = python_victim(interpreter, "hostile_names.py", {way, "1.5"})
                              .profiled(temp / "run")
                              .set("PROF_CPU", rate)
                              .set("MALLOC_MMAP_THRESHOLD_", "65536")
                              .run();
      INFO(run);
      CHECK(run.ok());
      CHECK(run.out == "done\n");
    }
  }
}

TEST_CASE("tasks that are written in Python have no name, and are no other's") {
  for (const Interpreter& interpreter : two_interpreters()) {
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      const Tasks tasks = run_tasks(interpreter, "python", "0.3");
      CHECK(seconds_in(tasks.rows, "plain") == 0);
      CHECK(seconds_in(tasks.rows, "in_python") < 0.1);
    }
  }
}

// Its callbacks have no frame of Python's: what steps the task is to be found on the C stack.
TEST_CASE("tasks of uvloop are known by their names, too") {
  bool any = false;
  for (const Interpreter& interpreter : all_interpreters()) {
    if (!Command({interpreter.program.string(), "-c", "import uvloop; uvloop.run"}).run().ok()) continue;
    any = true;
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      check_shares(run_tasks(interpreter, "uvloop", "1.0"), {"heavy", "middle", "light"});
    }
  }
  if (!any) skip("no interpreter here has uvloop");
}
