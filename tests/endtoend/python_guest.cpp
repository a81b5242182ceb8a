// Programs that watch themselves, bring their interpreter along, or make code as they go.
#include <algorithm>
#include <cmath>
#include <map>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/interpreters.hpp"
#include "tests/support/python_stacks.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;
namespace fs = std::filesystem;

namespace {

// The interpreter as a library, if it comes as one.
fs::path library_of(const Interpreter& interpreter) {
  const std::string name = "libpython3." + std::to_string(interpreter.minor) + ".so.1.0";
  const fs::path lib = fs::canonical(interpreter.program).parent_path().parent_path() / "lib";
  for (const fs::path& path : {lib / name, lib / "x86_64-linux-gnu" / name}) {
    if (fs::exists(path)) return path;
  }
  return {};
}

}  // namespace

// Catches agents that install themselves where the program's own tools are, or that are seen by its hooks.
TEST_CASE("a program's own profiler, tracer, audit hook, fault handler and tracebacks see what they see alone") {
  for (const Interpreter& interpreter : all_interpreters()) {
    for (const char* kind : {"cprofile", "settrace", "setprofile", "audit", "faulthandler", "tracebacks"}) {
      DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version << ": " << kind) {
        TempDir temp;
        const BothWays both =
            run_both_ways(python_victim(interpreter, "observers.py", {kind}).set("PROF_CPU", "5000"), temp / "run");
        REQUIRE(both.alone.ok());
        CHECK_FALSE(both.alone.out.empty());
        check_same(both);
      }
    }
  }
}

// Catches agents that look for an interpreter at the start alone, or only among the global symbols.
TEST_CASE("an interpreter that a program opens later shows its Python functions") {
  bool any = false;
  for (const Interpreter& interpreter : all_interpreters()) {
    const fs::path library = library_of(interpreter);
    if (library.empty()) continue;
    any = true;
    for (const std::string scope : {"local", "global"}) {
      if (scope == "global" && &interpreter != &all_interpreters().back()) continue;
      DYNAMIC_SECTION(library.string() << " " << scope) {
        TempDir temp;
        const fs::path home = fs::canonical(interpreter.program).parent_path().parent_path();
        const Outcome run = Command::victim("embed_python", {library.string(), scope, "100"})
                                .set("PYTHONHOME", home.string())
                                .set("PROF_CPU", "2000")
                                .profiled(temp / "run")
                                .run();
        INFO(run);
        REQUIRE(run.ok());
        const Report report = Report::of(temp / "run");
        CHECK(report.processes().at(0).at("python") == interpreter.version);
        // From 3.15 on a tick could not ask for the thread's state without the risk that it allocates.
        CHECK(report.processes().at(0).at("python_frames").at("on") == (interpreter.minor < 15));
        if (interpreter.minor >= 15) continue;
        CHECK(report.cumtime("embedded_burn") == Approx(0.2).margin(0.02));
        CHECK(report.cumtime("main") >= report.cumtime("embedded_burn"));
      }
    }
  }
  if (!any) skip("no interpreter here comes as a library");
}

// Catches an entry in the interpreter's list of hooks that another allocator made than the one that frees it.
TEST_CASE("an interpreter that checks its memory ends as it does alone") {
  const std::vector<std::pair<std::string, std::string>> modes = {
      {"PROF_PYTHON", "frames"},          {"PROF_PYTHON", "calls"},          {"PROF_PYTHON", "lines"},
      {"PROF_WATCH", "plain_calls.step"}, {"PROF_STEP", "plain_calls.step"},
  };
  for (const Interpreter& interpreter : all_interpreters()) {
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      for (const auto& [option, value] : modes) {
        for (const bool by_variable : {true, false}) {
          INFO(option << "=" << value << (by_variable ? " PYTHONMALLOC=debug" : " -X dev"));
          TempDir temp;
          const std::string script = (source_dir() / "tests/victims/python/plain_calls.py").string();
          std::vector<std::string> argv{interpreter.program.string(), "-s", "-B"};
          if (!by_variable) argv.insert(argv.end(), {"-X", "dev"});
          argv.push_back(script);
          Command command(argv);
          if (by_variable) command.set("PYTHONMALLOC", "debug");
          const Outcome run = command.set(option, value).profiled(temp / "run").run();
          INFO(run);
          REQUIRE(run.ok());
          CHECK(run.out == "1000\n");
        }
      }
    }
  }
}

// Catches walks that follow such a chain round and round: each stack took milliseconds, and the program stood still.
TEST_CASE("a chain of frames that leads back into itself costs a program next to nothing") {
  for (const Interpreter& interpreter : all_interpreters()) {
    if (interpreter.minor != 10) continue;
    TempDir temp;
    const Outcome run = python_victim(interpreter, "cyclic_frames.py", {"60000"})
                            .set("PROF_CPU", "4000")
                            .set("PROF_HEAP", "exact")
                            .profiled(temp / "run")
                            .run();
    INFO(run);
    REQUIRE(run.ok());
    CHECK(run.out == "ok\n");
    CHECK(run.cpu_s() < 10);
    return;
  }
  skip("no CPython 3.10 here");
}

// Catches code objects known by their address: the next function takes the name and the lines of the one before it.
TEST_CASE("functions made where others were before keep their own names and lines") {
  for (const Interpreter& interpreter : all_interpreters()) {
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      TempDir temp;
      const Outcome run = python_victim(interpreter, "remade_code.py", {"names", "60", "12"})
                              .profiled(temp / "run")
                              .set("PROF_CPU", "10000")
                              .run();
      INFO(run);
      REQUIRE(run.ok());
      // Else nothing was made where something was before; without the GIL memory is used again much later.
      if (interpreter.build.find('t') == std::string::npos) REQUIRE(run.fact("addresses") < run.fact("made"));
      const Report report = Report::of(temp / "run");
      std::map<std::string, double> burnt;
      for (const Json& row : report.section("lines")) {
        const std::string name = row.at("function").get<std::string>();
        if (row.at("file") != "made.py" || name == "<module>") continue;
        INFO(row.dump());
        REQUIRE(name.rfind("made_", 0) == 0);
        const long line = row.at("line").get<long>() - std::stol(name.substr(5));
        CHECK((line == 1 || line == 2));
        burnt[name] += row.at("cpu_python_s").get<double>() + row.at("cpu_native_s").get<double>();
      }
      CHECK(static_cast<long long>(burnt.size()) == run.fact("count"));
      // Time in the kernel is booked in lumps: it may fall on another function of the same program.
      const auto off = std::count_if(burnt.begin(), burnt.end(), [&](const auto& entry) {
        return std::abs(entry.second - static_cast<double>(run.fact(entry.first)) * 1e-6) > 0.003;
      });
      CHECK(off <= 6);
    }
  }
}

// Catches logs that grow with every code object that was ever made.
TEST_CASE("the log stays small when the same source is compiled and run 100,000 times") {
  const Interpreter& interpreter = all_interpreters().back();
  TempDir temp;
  const auto log_bytes = [&](const std::string& count) {
    const Outcome run = python_victim(interpreter, "remade_code.py", {"again", count})
                            .profiled(temp / ("run" + count))
                            .set("PROF_CPU", "1000")
                            .run();
    INFO(run);
    REQUIRE(run.ok());
    return Report::of(temp / ("run" + count)).section("overhead").at("log_bytes").get<long>();
  };
  const long few = log_bytes("3000"), many = log_bytes("100000");
  INFO(few << " and " << many << " bytes");
  CHECK(many < few + (1 << 20));
}

// Catches an interpreter of which nothing is known asked for what it does not have.
TEST_CASE("an interpreter that is too old runs as it does alone") {
  for (const std::filesystem::path& program : old_interpreters()) {
    INFO(program);
    TempDir temp;
    const Outcome run = Command({program, "-c", "print(sum(range(100000)))"}).profiled(temp / "run").run();
    INFO(run);
    CHECK(run.ok());
    CHECK(run.out == "4999950000\n");
    CHECK(run.err.empty());
  }
}

TEST_CASE("a Python that is not CPython has native frames, and the report says why") {
  TempDir temp;
  const std::string both = agent_library().string() + ":" + victim_path("plugin_pypy.so").string();
  const Outcome run = Command::victim("burn_shares", {"100"})
                          .profiled(temp / "run")
                          .set("LD_PRELOAD", both)
                          .set("PROF_CPU", "1000")
                          .run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  const Json frames = report.processes().at(0).at("python_frames");
  CHECK(frames.at("on") == false);
  CHECK(frames.at("reason").get<std::string>().find("PyPy") != std::string::npos);
}
