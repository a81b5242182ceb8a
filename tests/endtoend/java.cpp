// Methods that a Java VM compiles or interprets: their names, their callers, and that the program does not notice.
#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

constexpr const char* kUnknownMethods = "(code outside any file)";

// The program tests/victims/java/Shares.java, compiled. Empty: there is no JDK. `separate`: no method of its is
// compiled into another one.
std::vector<std::string> shares(const TempDir& temp, bool separate = false) {
  const auto sources = source_dir() / "tests/victims/java";
  for (const char* name : {"Shares", "Dropped"}) {
    const auto file = sources / (std::string(name) + ".java");
    if (!Command({"javac", "-d", (temp / name).string(), file.string()}).run().ok()) return {};
  }
  std::vector<std::string> program{"java", "-cp", (temp / "Shares").string(), "Shares",
                                   (temp / "Dropped").string() + "/"};
  if (separate)
    program.insert(program.begin() + 1, {"-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Shares*.*"});
  return program;
}

bool is_java_here() { return Command({"/bin/sh", "-c", "command -v java javac"}).run().ok(); }

}  // namespace

#if defined(__x86_64__)
// Catches names of what was dropped, stacks that end at the first method, and a VM that prints what it is asked to do.
TEST_CASE("methods of a Java program have their names and their callers, and it ends as it does alone") {
  if (!is_java_here()) return skip("there is no JDK");
  // Each by itself, or compiled into each other.
  const bool separate = GENERATE(true, false);
  TempDir temp;
  const std::vector<std::string> program = shares(temp, separate);
  REQUIRE_FALSE(program.empty());
  const Outcome alone = Command(program).run();
  const Outcome run = Command(program).set("PROF_CPU", "500").profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  CHECK(run.out == alone.out);
  CHECK(run.err == alone.err);

  const Report report = Report::of(temp / "run");
  const double first = report.cumtime("Shares.first"), second = report.cumtime("Shares.second");
  const double spin = report.tottime("Shares.spin");
  const double point = report.cumtime("Shares$Point.<init>"), dropped = report.tottime("Dropped.turns");
  // 360 and 100, 240, 100, 100 million turns.
  const double all = first + second + point + dropped;
  INFO("first " << first << " second " << second << " point " << point << " dropped " << dropped << " spin " << spin);
  CHECK(all > 0.2);
  CHECK(first / all == Approx(460.0 / 900).margin(0.08));
  CHECK(second / all == Approx(240.0 / 900).margin(0.06));
  CHECK(point / all == Approx(100.0 / 900).margin(0.05));
  CHECK(dropped / all == Approx(100.0 / 900).margin(0.05));
  CHECK(spin == Approx(first + second + point).epsilon(0.1));
  CHECK(report.cumtime("JavaMain") > 0.9 * all);
  CHECK(report.tottime(kUnknownMethods) < 0.1 * report.tottime_of_all());

  const Json& functions = report.section("functions");
  CHECK(std::any_of(functions.begin(), functions.end(), [](const Json& function) {
    return function.at("name") == "Shares.spin" && function.at("file") == "Shares.java" && function.at("line") == 8;
  }));
  // The loop's lines, where the VM has built it into others as well.
  const Json& lines = report.section("lines");
  double in_loop = 0;
  for (const Json& line : lines) {
    if (line.at("function") != "Shares.spin") continue;
    const int number = line.at("line").get<int>();
    CHECK((number >= 7 && number <= 15));
    if (number >= 9 && number <= 13) in_loop += line.at("cpu_native_s").get<double>();
  }
  CHECK(in_loop > 0.8 * spin);
  const Json& own = report.section("own");
  CHECK(std::any_of(own.begin(), own.end(), [](const Json& row) { return row.at("function") == "Shares.spin"; }));
  CHECK(std::none_of(own.begin(), own.end(), [](const Json& row) {
    return row.at("function").is_string() && row.at("function").get<std::string>().starts_with("java.");
  }));
}

// Catches names of the wrong method or line, frames of the interpreter without one, and callers that are missing where
// a method handle stands between.
TEST_CASE("methods that a Java VM interprets have their names, lines and callers") {
  if (!is_java_here()) return skip("there is no JDK");
  TempDir temp;
  const auto file = source_dir() / "tests/victims/java/Interpreted.java";
  REQUIRE(Command({"javac", "-d", temp.path().string(), file.string()}).run().ok());
  const std::vector<std::string> program{"java", "-Xint", "-cp", temp.path().string(), "Interpreted"};
  const Outcome alone = Command(program).run();
  const Outcome run = Command(program).set("PROF_CPU", "1000").profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  CHECK(run.out == alone.out);
  CHECK(run.err == alone.err);

  const Report report = Report::of(temp / "run");
  const double all = report.cumtime("Interpreted.main");
  CHECK(report.tottime("Interpreted.steps") == Approx(all).epsilon(0.1));
  CHECK(report.cumtime("Interpreted.sum") / all == Approx(0.3).margin(0.08));
  CHECK(report.cumtime("Interpreted.lambda$main$0") / all == Approx(0.1).margin(0.05));
  CHECK(report.tottime("(Java interpreter)") < 0.03 * all);
  CHECK(report.cumtime("JavaMain") > 0.95 * all);
  // Two calls in one method, of which each has its line.
  const auto on_line = [&](const char* function, int number) {
    double sum = 0;
    for (const Json& line : report.section("lines")) {
      if (line.at("function") == function && line.at("line") == number) sum += line.at("cumtime_s").get<double>();
    }
    return sum;
  };
  CHECK(on_line("Interpreted.sum", 51) / all == Approx(0.1).margin(0.05));
  CHECK(on_line("Interpreted.sum", 52) / all == Approx(0.2).margin(0.07));
  CHECK(on_line("Interpreted.main", 61) / all == Approx(0.7).margin(0.08));
  CHECK(on_line("Interpreted.steps", 5) > 0.9 * all);
}

namespace {

// A program with a stack of a thousand frames, of many classes.
std::string deep_program() {
  constexpr int kClasses = 400;
  std::string text = "public class Deep {\n  static F[] fs;\n  static long turns;\n  interface F { int go(int d); }\n",
              made;
  for (int i = 0; i < kClasses; ++i) {
    const std::string name = "K" + std::to_string(i), next = std::to_string((i * 7 + 3) % kClasses);
    text +=
        "  static class " + name + " implements F { public int go(int d) {\n    if (d > 0) return fs[" + next +
        "].go(d - 1) + 1;\n    int x = 0;\n    for (long k = 0; k < turns; k++) x = x * 31 + d;\n    return x; } }\n";
    made += (i == 0 ? "new " : ", new ") + name + "()";
  }
  return text + "  public static void main(String[] a) {\n    fs = new F[]{" + made +
         "};\n    turns = Long.parseLong(a[0]);\n    System.out.println(fs[1].go(1000));\n  }\n}\n";
}

}  // namespace

// Catches ticks that come faster than they are handled: the program hardly went on, and was killed by SIGIO in the end.
TEST_CASE("a stack that takes longer than the next tick leaves the program half of its time") {
  if (!is_java_here()) return skip("there is no JDK");
  TempDir temp;
  std::ofstream(temp / "Deep.java") << deep_program();
  REQUIRE(Command({"javac", "-d", temp.path().string(), (temp / "Deep.java").string()}).run().ok());
  const Outcome run = Command({"java", "-Xint", "-cp", temp.path().string(), "Deep", "30000000"})
                          .set("PROF_CPU", "10000")
                          .set("PROF_DEPTH", "1024")
                          .profiled(temp / "run")
                          .run();
  INFO(run);
  REQUIRE(run.ok());
  CHECK(run.out == "1000\n");
  const Report report = Report::of(temp / "run");
  CHECK(report.tottime("(profiler)") < 0.6 * report.tottime_of_all());
}

// Catches objects of Java's in "mapped by the program", and other memory among them.
TEST_CASE("the heap of a Java VM is told apart from what else it maps") {
  if (!is_java_here()) return skip("there is no JDK");
  const char* const collector = GENERATE("-XX:+UseSerialGC", "-XX:+UseG1GC");
  INFO(collector);
  TempDir temp;
  std::ofstream(temp / "Keep.java") << "class Keep { static byte[][] kept = new byte[64][];\n"
                                       "  public static void main(String[] a) throws Exception {\n"
                                       "    for (int i = 0; i < 64; i++) kept[i] = new byte[1 << 20];\n"
                                       "    Thread.sleep(300); System.out.println(kept.length); } }\n";
  REQUIRE(Command({"javac", "-d", temp.path().string(), (temp / "Keep.java").string()}).run().ok());
  const Outcome run = Command({"java", collector, "-Xms8m", "-Xmx512m", "-cp", temp.path().string(), "Keep"})
                          .profiled(temp / "run")
                          .run();
  INFO(run);
  REQUIRE(run.ok());
  const Json parts = Report::of(temp / "run").section("memory").at(0).at("high").at("parts");
  INFO(parts.dump());
  const double heap = parts.at("java_heap").at("rss_bytes").get<double>() / (1 << 20);
  CHECK(heap >= 64);
  CHECK(heap < 160);
  CHECK(parts.at("mapped").at("rss_bytes").get<double>() / (1 << 20) < 64);
  CHECK(parts.at("java_heap").at("size_bytes").get<double>() / (1 << 20) == Approx(512).margin(8));
}

// Catches names and lines of a class that is gone, for what the VM puts at its place.
TEST_CASE("classes that a Java VM drops give their names to nobody") {
  if (!is_java_here()) return skip("there is no JDK");
  TempDir temp;
  const auto sources = source_dir() / "tests/victims/java";
  REQUIRE(Command({"javac", "-d", temp.path().string(), (sources / "Replaced.java").string()}).run().ok());
  const Outcome run =
      Command({"java", "-Xint", "-XX:+UseSerialGC", "-Xmx64m", "-cp", temp.path().string(), "Replaced", "150"})
          .set("PROF_CPU", "2000")
          .profiled(temp / "run")
          .run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  std::istringstream lines(run.out);
  std::string name;
  for (double ms = 0; lines >> name >> ms;) {
    INFO(name << " took " << ms << " ms");
    const double said = 1e3 * report.tottime(name + ".run");
    CHECK(said > 0.3 * ms);
    CHECK(said < 2 * ms + 3);
  }
}

TEST_CASE("a Java program is asked for no names where they are not wanted") {
  if (!is_java_here()) return skip("there is no JDK");
  TempDir temp;
  const std::vector<std::string> program = shares(temp);
  REQUIRE_FALSE(program.empty());
  const Outcome run = Command(program).set("PROF_JAVA", "off").profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  CHECK(report.tottime(kUnknownMethods) > 0.3 * report.tottime_of_all());
  CHECK(report.cumtime("Shares.first") == 0);
}
#endif
