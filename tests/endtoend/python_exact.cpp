// Exact modes against what interpreters, their own profilers and the programs themselves counted.
#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/interpreters.hpp"
#include "tests/support/python_stacks.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

template <class Check>
void on_each_interpreter(Check check) {
  REQUIRE_FALSE(interpreters().empty());
  for (const Interpreter& interpreter : interpreters()) {
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) { check(interpreter); }
  }
}

// Facts that a victim printed as lines "NAME NUMBER".
std::map<std::string, long long> facts(const std::string& out) {
  std::map<std::string, long long> facts;
  std::istringstream lines(out);
  std::string name;
  long long value = 0;
  while (lines >> name >> value) facts[name] = value;
  return facts;
}

std::map<std::string, long long> calls_by_name(const Report& report, const std::string& file) {
  std::map<std::string, long long> calls;
  for (const Json& row : report.section("calls")) {
    if (row.at("file").is_string() && row.at("file").get<std::string>().ends_with(file))
      calls[row.at("code_name").get<std::string>()] += row.at("calls").get<long long>();
  }
  return calls;
}

const Json* row_named(const Json& rows, const std::string& name) {
  const auto found = std::find_if(
      rows.begin(), rows.end(), [&](const Json& row) { return row.value("code_name", row.value("name", "")) == name; });
  return found != rows.end() ? &*found : nullptr;
}

void check_nothing_lost(const Report& report) {
  const Json& loss = report.section("loss");
  if (loss.contains("call_table_full")) CHECK(loss.at("call_table_full") == 0);
  if (loss.contains("code_table_full")) CHECK(loss.at("code_table_full") == 0);
}

void export_pstats(const std::filesystem::path& run, const std::filesystem::path& file) {
  const Outcome outcome =
      Command({prof_program().string(), "export", run.string(), "-f", "pstats", "-o", file.string()}).run();
  INFO(outcome);
  REQUIRE(outcome.ok());
}

}  // namespace

// Catches: counting at other events than cProfile does (generators, exceptions, methods called without an object),
// primitive calls by depth instead of by function, callers by code address, C functions by another name.
TEST_CASE("exact calls are those of cProfile, function by function and caller by caller") {
  on_each_interpreter([](const Interpreter& interpreter) {
    TempDir temp;
    for (const char* what : {"idle", "work"}) {
      const Outcome outcome =
          python_victim(interpreter, "exact_calls.py", {what}).profiled(temp / what).set("PROF_PYTHON", "calls").run();
      INFO(outcome);
      REQUIRE(outcome.ok());
      check_nothing_lost(Report::of(temp / what));
      export_pstats(temp / what, temp / (std::string(what) + ".prof"));
    }
    const Outcome compared = python_victim(interpreter, "exact_calls.py",
                                           {"compare", (temp / "idle.prof").string(), (temp / "work.prof").string()})
                                 .run();
    INFO(compared);
    CHECK(compared.ok());
    CHECK(compared.fact("wrong") == 0);
    CHECK(compared.fact("functions") > 100);
    CHECK(compared.fact("calls") > 2000);
  });
}

// Catches: a profile function in the main thread alone; threads that Python did not make; threads that never end.
TEST_CASE("exact calls are counted in all threads, whoever made them") {
  on_each_interpreter([](const Interpreter& interpreter) {
    TempDir temp;
    const Outcome outcome = python_victim(interpreter, "exact_threads.py", {"threads"})
                                .profiled(temp / "run")
                                .set("PROF_PYTHON", "calls")
                                .run();
    INFO(outcome);
    REQUIRE(outcome.ok());
    const Report report = Report::of(temp / "run");
    check_nothing_lost(report);
    const auto counted = calls_by_name(report, "exact_threads.py");
    const auto told = facts(outcome.out);
    REQUIRE(told.size() == 5);
    for (const auto& [name, calls] : told) {
      INFO(name);
      REQUIRE(counted.count(name) == 1);
      CHECK(counted.at(name) == calls);
    }
  });
}

// Catches: counters of the parent that a child goes on with; a child that has no callers for what it returns to.
TEST_CASE("a forked child counts its own calls, and knows who made them") {
  on_each_interpreter([](const Interpreter& interpreter) {
    TempDir temp;
    const Outcome outcome = python_victim(interpreter, "exact_threads.py", {"fork"})
                                .profiled(temp / "run")
                                .set("PROF_PYTHON", "calls")
                                .run();
    INFO(outcome);
    REQUIRE(outcome.ok());
    const Report report = Report::of(temp / "run");
    const auto counted = calls_by_name(report, "exact_threads.py");
    for (const auto& [name, calls] : facts(outcome.out)) {
      INFO(name);
      REQUIRE(counted.count(name) == 1);
      CHECK(counted.at(name) == calls);
    }
    // The functions that were open at the fork are open, and count, in both.
    const Json* repeat = row_named(report.section("calls"), "repeat");
    REQUIRE(repeat != nullptr);
    CHECK(repeat->at("callers").size() == 1);
    CHECK(repeat->at("callers").at(0).at("name") == "fork");
    const Json* fork = row_named(report.section("calls"), "fork");
    REQUIRE(fork != nullptr);
    CHECK(fork->at("calls") == 2);
  });
}

// Catches: one event too many for the program's own profile function; a tool id of sys.monitoring taken from cProfile.
TEST_CASE("a program that profiles and traces itself sees what it sees alone") {
  on_each_interpreter([](const Interpreter& interpreter) {
    TempDir temp;
    const Command command = python_victim(interpreter, "exact_threads.py", {"own_profile"});
    const Outcome alone = command.run();
    REQUIRE(alone.ok());
    for (const char* mode : {"calls", "lines", "frames"}) {
      INFO(mode);
      const Outcome with = Command(command).profiled(temp / mode).set("PROF_PYTHON", mode).run();
      CHECK(with.out == alone.out);
      CHECK(with.err == alone.err);
      CHECK(with.exit_code == alone.exit_code);
    }
  });
}

// Catches: hits by code object instead of by frame, lost lines after an exception or a yield.
TEST_CASE("exact lines are those that a trace function counts") {
  on_each_interpreter([](const Interpreter& interpreter) {
    TempDir temp;
    const Outcome counted = python_victim(interpreter, "exact_lines.py", {"counts"}).run();
    REQUIRE(counted.ok());
    const Outcome outcome = python_victim(interpreter, "exact_lines.py", {"work"})
                                .profiled(temp / "run")
                                .set("PROF_PYTHON", "lines:exact_lines.py")
                                .run();
    INFO(outcome);
    REQUIRE(outcome.ok());
    const Report report = Report::of(temp / "run");
    check_nothing_lost(report);
    std::map<long, long> expected, seen;
    std::istringstream lines(counted.out);
    for (long line = 0, hits = 0; lines >> line >> hits;) expected[line] = hits;
    double slow_s = 0;
    for (const Json& row : report.section("line_hits")) {
      REQUIRE(row.at("file").get<std::string>().ends_with("exact_lines.py"));  // and no other
      const auto function = row.at("function").get<std::string>();
      // What runs when the file is read was there before the trace function.
      if (function == "<module>" || function == "Thing") continue;
      seen[row.at("line").get<long>()] += row.at("hits").get<long>();
      if (function.ends_with("slow")) slow_s = std::max(slow_s, row.at("time_s").get<double>());
    }
    CHECK(expected.size() > 30);
    CHECK(seen == expected);
    CHECK(slow_s >= 0.05);  // it slept for so long
    CHECK(slow_s < 5);
  });
}

// Catches: patterns that are not applied, watched functions without their real callers, a missed exception.
TEST_CASE("watched functions are counted, and no others") {
  on_each_interpreter([](const Interpreter& interpreter) {
    TempDir temp;
    const Outcome outcome = python_victim(interpreter, "exact_calls.py", {"work"})
                                .profiled(temp / "run")
                                .set("PROF_WATCH", "raises,exact_calls.count,recurse")
                                .run();
    INFO(outcome);
    REQUIRE(outcome.ok());
    const Report report = Report::of(temp / "run");
    check_nothing_lost(report);
    const Json& calls = report.section("calls");
    std::set<std::string> names;
    for (const Json& row : calls) {
      if (row.at("calls") != 0) names.insert(row.at("code_name").get<std::string>());
    }
    CHECK(names == std::set<std::string>{"raises", "count", "recurse"});
    const Json* raises = row_named(calls, "raises");
    REQUIRE(raises != nullptr);
    CHECK(raises->at("calls") == 2 * (1 + 2 + 3 + 4));
    CHECK(raises->at("primitive_calls") == 2 * 4);
    CHECK(raises->at("raised") == raises->at("calls"));
    std::set<std::string> callers;
    for (const Json& caller : raises->at("callers")) callers.insert(caller.at("name").get<std::string>());
    CHECK(callers == std::set<std::string>{"exceptions", "raises"});
  });
}

// Catches: imports that are missing, nested ones that do not add up, a traceback with a frame more than alone.
TEST_CASE("imports are timed, and their errors are what they are alone") {
  on_each_interpreter([](const Interpreter& interpreter) {
    TempDir temp;
    std::ofstream(temp / "outer_module.py") << "import inner_module\n";
    std::ofstream(temp / "inner_module.py") << "import time\ntime.sleep(0.02)\n";
    std::ofstream(temp / "fails.py") << "import not_to_be_found\n";
    std::ofstream(temp / "main.py") << "import outer_module\nimport outer_module, inner_module\nimport fails\n";
    const Command command({interpreter.program.string(), "-s", "-E", "-B", (temp / "main.py").string()});
    const Outcome alone = command.run();
    const Outcome with = Command(command).profiled(temp / "run").run();
    CHECK(alone.exit_code == 1);
    CHECK(with.exit_code == alone.exit_code);
    CHECK(with.err == alone.err);
    const Report report = Report::of(temp / "run");
    std::map<std::string, Json> imports;
    std::map<std::string, int> times;
    for (const Json& row : report.section("imports")) {
      const auto name = row.at("module").get<std::string>();
      imports[name] = row;
      ++times[name];
    }
    for (const char* name : {"outer_module", "inner_module", "fails", "not_to_be_found", "encodings", "site"}) {
      INFO(name);
      CHECK(times[name] == 1);
    }
    const Json &outer = imports["outer_module"], &inner = imports["inner_module"];
    CHECK(outer.at("depth") == 0);
    CHECK(inner.at("depth") == 1);
    CHECK(inner.at("total_s").get<double>() >= 0.02);
    CHECK(outer.at("total_s").get<double>() >= inner.at("total_s").get<double>());
    CHECK(outer.at("self_s").get<double>() < 0.02);
    CHECK(outer.at("failed") == false);
    CHECK(imports["fails"].at("failed") == true);
    CHECK(imports["not_to_be_found"].at("failed") == true);
  });
}
