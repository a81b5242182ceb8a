// CPU time of Python lines and functions, compared with scripts that know how they spent theirs.
#include <algorithm>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/interpreters.hpp"
#include "tests/support/perf_events.hpp"
#include "tests/support/python_stacks.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

struct LineTimes {
  double python_s = 0, native_s = 0;
  double all() const { return python_s + native_s; }
};

// Of the line `line` (0: any) in a file of that name.
LineTimes line_times(const Report& report, const std::string& file, long long line = 0) {
  LineTimes sum;
  for (const Json& row : report.section("lines")) {
    if (row.at("language") != "python" || (line != 0 && row.at("line") != line)) continue;
    if (std::filesystem::path(row.at("file").get<std::string>()).filename() != file) continue;
    sum.python_s += row.at("cpu_python_s").get<double>();
    sum.native_s += row.at("cpu_native_s").get<double>();
  }
  return sum;
}

double seconds_of(const Outcome& run, const std::string& fact) { return static_cast<double>(run.fact(fact)) * 1e-6; }

bool has_module(const Interpreter& interpreter, const std::string& module) {
  return Command({interpreter.program.string(), "-c", "import " + module}).run().ok();
}

using FoldedStack = std::vector<std::string>;  // outermost first

std::vector<std::pair<FoldedStack, double>> folded_stacks(const std::filesystem::path& run,
                                                          const std::vector<std::string>& options) {
  std::vector<std::string> argv{prof_program().string(), "report", run.string(), "--format", "folded"};
  argv.insert(argv.end(), options.begin(), options.end());
  const Outcome folded = Command(argv).run();
  INFO(folded);
  REQUIRE(folded.ok());
  std::vector<std::pair<FoldedStack, double>> stacks;
  std::istringstream lines(folded.out);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.rfind(' ');
    FoldedStack stack;
    std::istringstream names(line.substr(0, space));
    for (std::string name; std::getline(names, name, ';');) stack.push_back(name);
    stacks.emplace_back(std::move(stack), std::stod(line.substr(space + 1)));
  }
  return stacks;
}

Report report_of_thread(const std::filesystem::path& run, long tid) {
  return Report::of(run, {"--thread", std::to_string(tid)});
}

}  // namespace

// Catches lines decoded from the next instruction, samples booked where the interpreter next looks at signals, and
// weights that are not CPU time.
TEST_CASE("three Python functions that burn 60/30/10 % come out within 2 points, on their lines") {
  REQUIRE_FALSE(all_interpreters().empty());
  for (const Interpreter& interpreter : all_interpreters()) {
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      TempDir temp;
      const Outcome run =
          python_victim(interpreter, "shares.py", {"1.0"}).profiled(temp / "run").set("PROF_CPU", "1000").run();
      INFO(run);
      REQUIRE(run.ok());
      const Report report = Report::of(temp / "run");
      const double all = line_times(report, "shares.py").all();
      const double burnt = seconds_of(run, "sixty_us") + seconds_of(run, "thirty_us") + seconds_of(run, "ten_us");
      CHECK(all == Approx(burnt).epsilon(0.04));
      for (const char* function : {"sixty", "thirty", "ten"}) {
        INFO(function);
        const double share = seconds_of(run, std::string(function) + "_us") / burnt;
        const double line = line_times(report, "shares.py", run.fact(std::string("line_") + function)).all();
        CHECK(line / all == Approx(share).margin(0.02));
        CHECK(report.cumtime(function) / all == Approx(share).margin(0.02));
      }
    }
  }
}

// Catches tools that book native code on the interpreter, or on the line at which it returns; and time of late ticks
// that piles up until some system call.
TEST_CASE("time in numpy's C code is the calling line's, as native time") {
  bool any = false;
  for (const Interpreter& interpreter : all_interpreters()) {
    if (!has_module(interpreter, "numpy")) continue;
    any = true;
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      TempDir temp;
      const Outcome run = python_victim(interpreter, "shares.py", {"1.2", "numpy"})
                              .profiled(temp / "run")
                              .set("PROF_CPU", "1000")
                              .run();
      INFO(run);
      REQUIRE(run.ok());
      const Report report = Report::of(temp / "run");
      const LineTimes line = line_times(report, "shares.py", run.fact("line_numpy"));
      CHECK(line.native_s == Approx(seconds_of(run, "numpy_us")).epsilon(0.05));
      CHECK(line.python_s < 0.03 * line.native_s);
    }
  }
  if (!any) skip("no interpreter here has numpy");
}

// Catches walkers that take whatever lies at the begin of the evaluation loop's code for a frame that is not made yet,
// and groups of frames that stand one run of the loop too high or too low: then map()'s own frames are not where outer
// calls key, but beside it.
// Catches native code that is lost, or taken for the interpreter's, where its stack cannot be followed.
TEST_CASE("time in a library's assembly is the library's, on the calling line") {
  REQUIRE_FALSE(interpreters().empty());
  for (const Interpreter& interpreter : interpreters()) {
    for (const char* hash : {"sha256", "sha512"}) {
      INFO(interpreter.program.string() << ' ' << hash);
      TempDir temp;
      const std::string code = std::string("import hashlib, time\nh = hashlib.") + hash +
                               "()\ndata = bytes(1 << 20)\nend = time.thread_time() + 0.4\n"
                               "while time.thread_time() < end: h.update(data)\n";
      const Outcome run = Command({interpreter.program.string(), "-I", "-c", code}).profiled(temp / "run").run();
      INFO(run);
      REQUIRE(run.ok());
      const Report report = Report::of(temp / "run");
      double hashing = 0;
      for (const Json& part : report.section("own").at(0).at("spent")) {
        if (part.at("name") == "hashing") hashing += part.at("s").get<double>();
      }
      INFO(report.section("own"));
      CHECK(hashing > 0.3);
    }
  }
}

TEST_CASE("no tick loses Python functions that call each other, nor the native code between them") {
  if (!perf_events_allowed()) return skip("needs perf events, to tick as often");
  for (const Interpreter& interpreter : all_interpreters()) {
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      TempDir temp;
      const Outcome run =
          python_victim(interpreter, "nested.py", {"0.6"}).profiled(temp / "run").set("PROF_CPU", "10000").run();
      INFO(run);
      REQUIRE(run.ok());
      double samples = 0, complete = 0, wrong = 0;
      for (const auto& [stack, count] : folded_stacks(temp / "run", {"--interpreter-frames", "--metric", "samples"})) {
        const auto outer = std::find(stack.begin(), stack.end(), "outer"), key = std::find(outer, stack.end(), "key");
        if (outer == stack.end()) continue;
        samples += count;
        if (std::find(key, stack.end(), "inner") != stack.end()) complete += count;
        if (key != stack.end() && key - outer <= 3) wrong += count;
      }
      CHECK(samples > 2000);
      CHECK(complete > 0.98 * samples);
      CHECK(wrong <= 0.001 * samples);
    }
  }
}

// Catches tools that give every thread the main thread's Python frames, or drop threads that have none.
TEST_CASE("a native thread stands by itself, beside Python's threads and their names") {
  for (const Interpreter& interpreter : all_interpreters()) {
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      TempDir temp;
      const Outcome run =
          python_victim(interpreter, "native_thread.py", {victim_path("plugin_burn.so").string(), "0.2"})
              .profiled(temp / "run")
              .set("PROF_CPU", "2000")
              .run();
      INFO(run);
      REQUIRE(run.ok());
      const Report all = Report::of(temp / "run");
      CHECK(all.cumtime("native_burn") == Approx(0.6).margin(0.04));
      CHECK(all.cumtime("in_python") == Approx(0.2).margin(0.03));
      CHECK(all.cumtime("in_native") == Approx(0.4).margin(0.03));
      CHECK(line_times(all, "native_thread.py").native_s > 0.37);

      long native = 0, worker = 0;
      for (const Json& thread : all.section("processes").at(0).at("thread_list")) {
        if (thread.at("python_name") == "the wörker")
          worker = thread.at("tid").get<long>();
        else if (thread.at("main") == false && thread.at("python_stacks") == 0)
          native = thread.at("tid").get<long>();
      }
      REQUIRE(native != 0);
      REQUIRE(worker != 0);
      const Report of_native = report_of_thread(temp / "run", native),
                   of_worker = report_of_thread(temp / "run", worker);
      CHECK(of_native.cumtime("native_thread") == Approx(0.2).margin(0.02));
      CHECK(of_native.cumtime("main") == 0);
      CHECK(line_times(of_native, "native_thread.py").all() == 0);
      CHECK(of_worker.cumtime("in_native") == Approx(0.2).margin(0.02));
      CHECK(of_worker.cumtime("main") == 0);
    }
  }
}
