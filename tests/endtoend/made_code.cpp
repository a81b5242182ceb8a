// Code that is made at run time and announced: its names, its callers, and what stands at an address when.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/torch_run.hpp"

using namespace prof::test;

namespace {

constexpr const char* kNameless = "(code outside any file)";

long long guessed(const Report& report) {
  return report.section("loss").at("reasons").at("stack_guessed").get<long long>();
}

// What runtimes left in /tmp.
void remove_lists(const std::filesystem::path& run) {
  for (const auto& entry : std::filesystem::directory_iterator(run)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".perf-map")) std::filesystem::remove("/tmp/perf-" + name.substr(0, name.find('.')) + ".map");
  }
}

}  // namespace

#if defined(__x86_64__)
// Catches names by address at the end of the run, which the second function would have both, and searches of the stack
// where the code says itself what it pushed.
TEST_CASE("functions made at run time have their names and their callers, where one took the other's place") {
  TempDir temp;
  const Outcome run = Command::victim("announced_code", {"reuse"}).set("PROF_CPU", "1000").profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  REQUIRE(run.fact("listener") == 1);
  const Report report = Report::of(temp / "run");
  CHECK(report.tottime("first_function") == Approx(0.3).margin(0.06));
  CHECK(report.tottime("second_function") == Approx(0.6).margin(0.1));
  CHECK(report.tottime(kNameless) == Approx(0).margin(0.01));
  CHECK(report.cumtime("burn_first") == Approx(0.3).margin(0.06));
  CHECK(report.cumtime("burn_second") == Approx(0.6).margin(0.1));
  CHECK(guessed(report) == 0);
}

// Catches lists that are lost with /tmp, and those of a process that had the same number before.
TEST_CASE("functions made at run time have the names of the list that their maker wrote") {
  TempDir temp;
  const Outcome run = Command({prof_program().string(), "run", "-o", (temp / "run").string(), "--",
                               victim_path("listed_code").string()})
                          .set("PROF_CPU", "1000")
                          .run();
  INFO(run);
  REQUIRE(run.ok());
  const std::filesystem::path list = "/tmp/perf-" + std::to_string(run.fact("pid")) + ".map";
  REQUIRE(std::filesystem::remove(list));
  const Report report = Report::of(temp / "run");
  CHECK(report.tottime("slow_script") == Approx(0.3).margin(0.06));
  const auto is_script = [](const Json& function) {
    return function.at("name") == "slow_script" && function.at("file") == "/srv/app.js" && function.at("line") == 7;
  };
  const Json& functions = report.section("functions");
  CHECK(std::any_of(functions.begin(), functions.end(), is_script));
  CHECK(report.tottime("long Work.sum") == Approx(0.6).margin(0.1));
  CHECK(report.tottime(kNameless) == Approx(0).margin(0.01));
  // By frame pointers, where they are kept.
  CHECK(report.tottime("inner_script") == Approx(0.3).margin(0.06));
  CHECK(report.cumtime("outer_script") == Approx(0.3).margin(0.06));
  CHECK(report.tottime("outer_script") == Approx(0).margin(0.01));
  CHECK(report.cumtime("burn_nested") == Approx(0.3).margin(0.06));
  // Scripts may have many functions on one line, and they are the user's own.
  const Json& own = report.section("own");
  const auto is_of = [&](const char* name) {
    return std::count_if(own.begin(), own.end(), [&](const Json& row) {
      return row.at("function") == name && row.at("file") == "/srv/app.js" && row.at("line") == 7;
    });
  };
  CHECK(is_of("slow_script") == 1);
  CHECK(is_of("inner_script") == 1);
  // Of .NET, what stands in an assembly that is called as the program is.
  CHECK(report.tottime("Acme.Orders.Load") == Approx(0.3).margin(0.06));
  CHECK(report.tottime("System.String.GetHashCode") == Approx(0.3).margin(0.06));
  const auto is_own = [&](const char* name) {
    return std::any_of(own.begin(), own.end(), [&](const Json& row) { return row.at("function") == name; });
  };
  CHECK(is_own("Acme.Orders.Load()"));
  CHECK_FALSE(is_own("System.String.GetHashCode()"));

  const auto map = std::find_if(std::filesystem::directory_iterator(temp / "run"), {},
                                [](const auto& entry) { return entry.path().extension() == ".perf-map"; });
  REQUIRE(map != std::filesystem::directory_iterator());
  std::filesystem::remove(map->path());
  CHECK(Report::of(temp / "run").tottime(kNameless) == Approx(1.8).margin(0.3));
}

// Catches tables that grow with all that was ever made, and names of what was there before.
TEST_CASE("a hundred thousand functions made and dropped leave a small log and no wrong name") {
  TempDir temp;
  const Outcome run = Command::victim("announced_code", {"many"}).set("PROF_CPU", "1000").profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  CHECK(report.tottime("first_function") == Approx(0.3).margin(0.06));
  CHECK(report.tottime(kNameless) == Approx(0).margin(0.02));
  CHECK(run.fact("peak_kib") < 20 << 10);
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(temp / "run"))
    if (entry.is_regular_file()) bytes += entry.file_size();
  CHECK(bytes < 2 << 20);
}

// Catches options of the user's own that are lost, children that are not asked, and callers that are interpreted.
TEST_CASE("Node's functions have names where it is asked for them, as a child and with options of its own") {
  if (!is_here("node")) return skip("node is not installed");
  TempDir temp;
  std::ofstream(temp / "work.js")
      << "function burn(n) {\n  let x = 1;\n  for (let i = 0; i < n; i++) x = (x * 31 + i) | 0;\n"
         "  return x;\n}\nfunction once() {\n  let x = 0;\n  for (let k = 0; k < 300; k++) x ^= burn(1000000 + k);\n"
         "  return x;\n}\nconsole.log(once(), process.env.NODE_OPTIONS);\n";
  const Outcome run = Command({prof_program().string(), "run", "--js", "on", "-o", (temp / "run").string(), "--",
                               "/bin/sh", "-c", "node work.js; exit $?"})
                          .set("NODE_OPTIONS", "--max-old-space-size=200")
                          .in(temp.path())
                          .run();
  INFO(run);
  REQUIRE(run.ok());
  CHECK(run.out.find(" --max-old-space-size=200 --perf-basic-prof --interpreted-frames-native-stack\n") !=
        std::string::npos);
  const Report report = Report::of(temp / "run");
  CHECK(report.cumtime("burn") > 0.5 * report.tottime_of_all());
  CHECK(report.cumtime("once") > 0.5 * report.tottime_of_all());  // which Node interprets
  const Json& own = report.section("own");
  CHECK(std::any_of(own.begin(), own.end(), [](const Json& row) { return row.at("function") == "burn"; }));
  remove_lists(temp / "run");
}

TEST_CASE("functions have the names of a jitdump that their runtime wrote where it was started") {
  if (!is_here("node")) return skip("node is not installed");
  TempDir temp;
  std::ofstream(temp / "work.js")
      << "function burn(n) {\n  let x = 1;\n  for (let i = 0; i < n; i++) x = (x * 31 + i) | 0;\n"
         "  return x;\n}\nlet y = 0;\nfor (let k = 0; k < 300; k++) y ^= burn(1000000 + k);\n"
         "console.log(y);\n";
  const Outcome run =
      Command({prof_program().string(), "run", "-o", (temp / "run").string(), "--", "node", "--perf-prof", "work.js"})
          .in(temp.path())
          .run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  CHECK(report.cumtime("burn") > 0.5 * report.tottime_of_all());
}

// Catches a plain interpreter that fails by what LuaJIT is asked, code that belongs to another function or line, and
// what a program is given as arguments or prints.
TEST_CASE("LuaJIT's functions have names and lines where it is asked for them") {
  if (!is_here("luajit")) return skip("luajit is not installed");
  TempDir temp;
  std::ofstream(temp / "work.lua") << "local function hash(s)\n"
                                      "  local h = 7\n"
                                      "  for i = 1, #s do h = (h * 31 + s:byte(i)) % 2147483647 end\n"
                                      "  return h\n"
                                      "end\n"
                                      "local word, x = string.rep('word', 1000), 0\n"
                                      "for i = 1, 8000 do x = x + hash(word) end\n"
                                      "print(arg[1], #arg, x)\n";
  Command alone({"luajit", "work.lua", "an argument"});
  const Outcome bare = alone.in(temp.path()).run();
  const Outcome run = Command({prof_program().string(), "run", "--lua", "on", "-o", (temp / "run").string(), "--",
                               "luajit", "work.lua", "an argument"})
                          .set("PROF_CPU", "1000")
                          .in(temp.path())
                          .run();
  INFO(run);
  REQUIRE(run.ok());
  CHECK(run.out == bare.out);
  const Report report = Report::of(temp / "run");
  CHECK(report.tottime("hash") > 0.8 * report.tottime_of_all());
  const Json& own = report.section("own");
  CHECK(std::any_of(own.begin(), own.end(), [&](const Json& row) {
    return row.at("function") == "hash" && row.at("file") == (temp / "work.lua").string() && row.at("line") == 3;
  }));
  remove_lists(temp / "run");
}

// Catches errors of what LuaJIT is asked by on the program's stderr, files that it holds open, and names of what
// another process compiled.
TEST_CASE("programs of LuaJIT end as they do alone, whatever they take away, and forks have their own names") {
  if (!is_here("luajit")) return skip("luajit is not installed");
  const char* const loops =
      "local function hot(n) local x = 1 for i = 1, n do x = (x * 3 + i) % 65537 end return x end\n"
      "local sum = 0\nfor k = 1, 300 do sum = sum + hot(1000) end\n";
  struct Program {
    const char *name, *before, *after;
  };
  const Program program =
      GENERATE_COPY(Program{"taken", "debug, math, package, require, pcall, string.sub, jit = nil\n", "print(sum)\n"},
                    Program{"stubs", "debug = {getinfo = function() error('no') end} math = {}\n", "print(sum)\n"},
                    Program{"closed",
                            "local ffi = require('ffi')\nffi.cdef 'int close(int); int dup(int);'\n"
                            "for fd = 3, 60 do ffi.C.close(fd) end\nlocal file = io.open('data.txt', 'w')\n",
                            "file:close()\nprint(sum, ffi.C.dup(0), #io.open('data.txt'):read('*a'))\n"});
  INFO(program.name);
  TempDir temp;
  std::ofstream(temp / "program.lua") << program.before << loops << program.after;
  const Outcome bare = Command({"luajit", "program.lua"}).in(temp.path()).run();
  const Outcome run = Command({prof_program().string(), "run", "-q", "--lua", "on", "-o", (temp / "run").string(), "--",
                               "luajit", "program.lua"})
                          .in(temp.path())
                          .run();
  INFO(run);
  REQUIRE(bare.ok());
  CHECK(run.ok());
  CHECK(run.out == bare.out);
  CHECK(run.err == bare.err);
}

// Catches names of what another process compiled.
TEST_CASE("forks of LuaJIT have the names of what they compiled themselves") {
  if (!is_here("luajit")) return skip("luajit is not installed");
  TempDir temp;
  std::ofstream(temp / "forks.lua")
      << "local ffi = require('ffi')\nffi.cdef 'int fork(void); int waitpid(int, int*, int); void _exit(int);'\n"
         "local function child_work(n) local s = 0 for i = 1, n do s = (s * 3 + i) % 1000003 end return s end\n"
         "local function parent_work(n) local s = 1 for i = 1, n do s = (s * 7 + i) % 1000033 end return s end\n"
         "local pid, till, s = ffi.C.fork(), os.clock() + 0.3, 0\n"
         "if pid == 0 then while os.clock() < till do s = s + child_work(100000) end ffi.C._exit(0) end\n"
         "while os.clock() < till do s = s + parent_work(100000) end\nffi.C.waitpid(pid, nil, 0)\n";
  REQUIRE(Command({prof_program().string(), "run", "-q", "--lua", "on", "-o", (temp / "forks").string(), "--", "luajit",
                   "forks.lua"})
              .set("PROF_CPU", "1000")
              .in(temp.path())
              .run()
              .ok());
  const Report report = Report::of(temp / "forks");
  CHECK(report.tottime("parent_work") == Approx(0.3).margin(0.1));
  CHECK(report.tottime("child_work") == Approx(0.3).margin(0.1));
}

// Catches code of PyPy's that belongs to another function or line, functions that were compiled into others without
// their callers, forks without what their parent compiled, and a program that is given or prints something else.
TEST_CASE("PyPy's functions have names and lines where it is asked for them") {
  if (!is_here("pypy3")) return skip("pypy3 is not installed");
  TempDir temp;
  std::ofstream(temp / "work.py") << "import os, sys, time\n"
                                     "def step(s, i):\n"
                                     "    return (s * 3 + i) % 1000003\n"
                                     "def total(n):\n"
                                     "    s = 0\n"
                                     "    for i in range(n):\n"
                                     "        s = step(s, i)\n"
                                     "    return s\n"
                                     "def child_work(n):\n"
                                     "    s = 1\n"
                                     "    for i in range(n): s = (s * 7 + i) % 1000033\n"
                                     "    return s\n"
                                     "till = time.process_time() + 1\n"
                                     "while time.process_time() < till: x = total(100000)\n"
                                     "print(x, sys.argv[1], 'PYPYLOG' in os.environ, flush=True)\n"
                                     "if os.fork() == 0:\n"
                                     "    till = time.process_time() + 0.5\n"
                                     "    while time.process_time() < till: total(100000)\n"
                                     "    till = time.process_time() + 0.5\n"
                                     "    while time.process_time() < till: child_work(100000)\n"
                                     "    os._exit(0)\n"
                                     "os.wait()\n";
  const Outcome alone = Command({"pypy3", "work.py", "an argument"}).in(temp.path()).run();
  const Outcome run = Command({prof_program().string(), "run", "-q", "--pypy", "on", "-o", (temp / "run").string(),
                               "--", "pypy3", "work.py", "an argument"})
                          .in(temp.path())
                          .run();
  INFO(run);
  REQUIRE(alone.ok());
  CHECK(run.ok());
  CHECK(alone.out.find("an argument False") != std::string::npos);
  CHECK(run.out == alone.out.substr(0, alone.out.find("False")) + "True\n");
  CHECK(run.err.empty());
  const Report report = Report::of(temp / "run");
  CHECK(report.cumtime("total") == Approx(1.5).margin(0.25));
  CHECK(report.cumtime("child_work") == Approx(0.5).margin(0.15));
  CHECK(report.cumtime("step") <= report.cumtime("total"));
  CHECK(report.cumtime("step") > 0.2 * report.cumtime("total"));
  const Json& own = report.section("own");
  CHECK(std::any_of(own.begin(), own.end(), [&](const Json& row) {
    return row.at("function") == "step" && row.at("file") == (temp / "work.py").string() && row.at("line") == 3;
  }));
}

// Catches what a user set himself being replaced.
TEST_CASE("runtimes are asked for their functions by variables that are not set yet") {
  TempDir temp;
  const auto variables = [&](const char* option, const char* value, const char* set = "LUA_INIT") {
    return Command(
               {prof_program().string(), "run", option, value, "-o", (temp / "run").string(), "--force", "--", "env"})
        .set(set, "x = 1")
        .run()
        .out;
  };
  const std::string dotnet = variables("--dotnet", "on");
  CHECK(dotnet.find("\nDOTNET_PerfMapEnabled=1\n") != std::string::npos);
  CHECK(dotnet.find("\nCOMPlus_PerfMapEnabled=1\n") != std::string::npos);
  CHECK(variables("--dotnet", "off").find("PerfMapEnabled") == std::string::npos);
  CHECK(variables("--dotnet", "on", "COMPlus_PerfMapEnabled").find("DOTNET_PerfMapEnabled") == std::string::npos);
  CHECK(variables("--pypy", "on")
            .find("\nPYPYLOG=jit-backend-addr,jit-log-opt:" + (temp / "run").string() + "/pypy-%d.log\n") !=
        std::string::npos);
  CHECK(variables("--pypy", "on", "PYPYLOG").find("\nPYPYLOG=x = 1\n") != std::string::npos);
  CHECK(variables("--lua", "on").find("LUA_INIT=x = 1\n") != std::string::npos);
}

TEST_CASE("more functions made at run time than can be kept have no name rather than a wrong one") {
  TempDir temp;
  const Outcome run = Command::victim("announced_code", {"full"}).set("PROF_CPU", "1000").profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  CHECK(Report::of(temp / "run").tottime(kNameless) == Approx(0.6).margin(0.1));
}

// Catches reading of code where it stood, names and rows that outlive it, look-ups under the loader's lock or in
// children where nobody will give it back, and numbers of events that are cut short.
TEST_CASE("programs that announce functions end as they do alone, whatever becomes of these") {
  const std::string mode = GENERATE(as<std::string>{}, "unmapped", "forked", "events", "constructor");
  TempDir temp;
  const Outcome run = Command::victim("announced_code", {mode, victim_path("plugin_announces.so").string()})
                          .set("PROF_CPU", "5000")
                          .profiled(temp / "run")
                          .run();
  INFO(run);
  CHECK(run.ok());
  CHECK(run.fact("listener") == 1);
}

TEST_CASE("code that takes the place of a function that was dropped does not have its name") {
  TempDir temp;
  const Outcome run =
      Command::victim("announced_code", {"dropped"}).set("PROF_CPU", "1000").profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  CHECK(report.tottime("first_function") == Approx(0.3).margin(0.06));
  CHECK(report.tottime(kNameless) == Approx(0.6).margin(0.1));
}

// Catches code that is named although something else was written over it.
TEST_CASE("code of a program that it mapped a second time is the program's, until it is changed") {
  TempDir temp;
  const Outcome run = Command::victim("mapped_twice").set("PROF_CPU", "1000").profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  CHECK(report.tottime("spin_anywhere") == Approx(0.6).margin(0.1));
  CHECK(report.cumtime("burn_first") == Approx(0.6).margin(0.1));
  CHECK(report.tottime(kNameless) == Approx(0.3).margin(0.06));
}

// Who has a listener of his own keeps it.
TEST_CASE("another tool's library for announced code stays as it is") {
  TempDir temp;
  const Outcome run = Command::victim("announced_code", {"reuse"})
                          .set("INTEL_JIT_PROFILER64", "/nowhere/tool.so")
                          .profiled(temp / "run")
                          .run();
  INFO(run);
  REQUIRE(run.ok());
  CHECK(run.fact("listener") == 0);
  CHECK(Report::of(temp / "run").tottime(kNameless) > 0.7);
}
#endif

// The kernels of oneDNN, which convolutions of PyTorch on a CPU are.
TEST_CASE("convolutions of PyTorch are kernels by name, with their callers") {
  if (!has_module("torch")) return skip_without("torch");
  TempDir temp;
  const Outcome run = python_victim("torch_convolutions.py", {"60"}).profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  double kernels = 0;
  for (const auto& function : report.section("functions")) {
    const auto name = function.at("name").get<std::string>();
    if (name.find("jit_") != std::string::npos) kernels += function.at("tottime_s").get<double>();
  }
  CHECK(kernels > 0.05 * report.tottime_of_all());
  CHECK(report.tottime(kNameless) < 0.02 * report.tottime_of_all());
  CHECK(guessed(report) <= 3);  // of some 200
}
