// Code that is made at run time with call frame information, and shown to debuggers: as LLVM does.
#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/torch_run.hpp"

using namespace prof::test;

#if defined(__x86_64__)
namespace {

constexpr const char* kOutside = "(code outside any file)";

long long callers_guessed(const Report& report) {
  return report.section("loss").at("reasons").at("stack_guessed").get<long long>();
}
long long stacks_broken(const Report& report) {
  return report.section("loss").at("reasons").at("stack_broken").get<long long>();
}

Outcome registered(const TempDir& temp, const std::string& mode, const std::string& rate = "1000") {
  return Command::victim("registered_code", {mode}).set("PROF_CPU", rate).profiled(temp / "run").run();
}

}  // namespace

// Catches names by address at the end of the run, and callers that are searched for.
TEST_CASE("registered functions have their names and callers, where one took the other's place") {
  TempDir temp;
  const Outcome run = registered(temp, "reuse");
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  CHECK(report.tottime("first_function") == Approx(0.3).margin(0.06));
  CHECK(report.tottime("second_function") == Approx(0.6).margin(0.1));
  CHECK(report.tottime(kOutside) == Approx(0).margin(0.01));
  CHECK(report.cumtime("burn_first") == Approx(0.3).margin(0.06));
  CHECK(report.cumtime("burn_second") == Approx(0.6).margin(0.1));
  CHECK(callers_guessed(report) == 0);
  CHECK(stacks_broken(report) == 0);
}

// Catches walks that end, or search, at the second of two frames without a module.
TEST_CASE("registered functions that call each other lead to who called the first") {
  TempDir temp;
  const Outcome run = registered(temp, "nested");
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  CHECK(report.tottime("inner_function") == Approx(0.6).margin(0.1));
  CHECK(report.cumtime("outer_function") == Approx(0.6).margin(0.1));
  CHECK(report.tottime("outer_function") == Approx(0).margin(0.02));
  CHECK(report.cumtime("main") == Approx(0.6).margin(0.1));
  CHECK(callers_guessed(report) == 0);
  CHECK(stacks_broken(report) == 0);
}

TEST_CASE("functions that are registered without an image have callers and no name") {
  TempDir temp;
  const Outcome run = registered(temp, "silent");
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  CHECK(report.tottime(kOutside) == Approx(0.3).margin(0.06));
  CHECK(report.cumtime("burn_first") == Approx(0.3).margin(0.06));
  CHECK(callers_guessed(report) == 0);
}

TEST_CASE("code in the place of a registered function that was given back does not have its name") {
  TempDir temp;
  const Outcome run = registered(temp, "dropped");
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  CHECK(report.tottime("first_function") == Approx(0).margin(0.01));
  CHECK(report.tottime(kOutside) == Approx(0.6).margin(0.1));
}

// Catches names of registered functions alone, and those of images that are no longer listed.
TEST_CASE("functions that their maker shows to debuggers alone have names, each while it is there") {
  TempDir temp;
  const Outcome run = registered(temp, "listed");
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  CHECK(report.tottime("first_function") == Approx(0.3).margin(0.06));
  CHECK(report.tottime("second_function") == Approx(0.6).margin(0.1));
}

// Catches names that are looked for at registration alone, and looks that lose the rows.
TEST_CASE("registered functions that are shown afterwards get their names then") {
  TempDir temp;
  const Outcome run = registered(temp, "late");
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  CHECK(report.tottime("first_function") > 0.35);
  CHECK(report.cumtime("burn_second") == Approx(0.6).margin(0.1));
  CHECK(callers_guessed(report) == 0);
}

TEST_CASE("a forked child knows its parent's functions again") {
  TempDir temp;
  const Outcome run = registered(temp, "forked");
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  CHECK(report.tottime("first_function") == Approx(0.9).margin(0.15));
  CHECK(report.tottime(kOutside) < 0.1);
  CHECK(callers_guessed(report) < 50);  // of 900: until the child's first look
}

// Catches tables that grow with all that was ever made.
TEST_CASE("a hundred thousand registered functions that go leave a small log and no wrong name") {
  TempDir temp;
  const Outcome run = registered(temp, "many");
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  CHECK(report.tottime("first_function") == Approx(0.3).margin(0.06));
  CHECK(report.tottime(kOutside) == Approx(0).margin(0.02));
  CHECK(run.fact("peak_kib") < 30 << 10);
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(temp / "run"))
    if (entry.is_regular_file()) bytes += entry.file_size();
  CHECK(bytes < 3 << 20);
}

// Catches rows that are read while they are another function's already.
TEST_CASE("threads register functions while ticks come by the thousand") {
  TempDir temp;
  const Outcome run = registered(temp, "threads", "10000");
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  for (const char* name : {"made_by_0", "made_by_1", "made_by_2", "made_by_3"}) CHECK(report.tottime(name) > 0.1);
  CHECK(report.tottime(kOutside) < 0.02 * report.tottime_of_all());
  CHECK(callers_guessed(report) + stacks_broken(report) < 200);  // of some 30,000
}

// Catches look-ups under the loader's lock, which the waiting constructor holds.
TEST_CASE("a library's constructor waits for a thread that registers functions") {
  TempDir temp;
  const Outcome run = Command::victim("registered_code", {"constructor", victim_path("plugin_announces.so").string()})
                          .profiled(temp / "run")
                          .run();
  INFO(run);
  CHECK(run.ok());
}

// Catches lists that are followed for ever, and images that are read where they stand.
TEST_CASE("damaged images of code made at run time harm nobody") {
  TempDir temp;
  const Outcome run = registered(temp, "damaged", "5000");
  INFO(run);
  CHECK(run.ok());
}
#endif

// Catches names that no person would say, and lines of functions that are charged to who called them.
TEST_CASE("functions that numba compiled are Python functions by name and line, with their callers") {
  if (!has_module("numba")) return skip_without("numba");
  TempDir temp;
  const Outcome run = python_victim("numba_functions.py", {"2", "fork"}).profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  const double all = report.tottime_of_all();
  CHECK(report.tottime("collatz") > 0.1 * all);
  CHECK(report.tottime("weigh") > 0.03 * all);
  CHECK(report.tottime("(code outside any file)") < 0.03 * all);
  CHECK(report.cumtime("fork") > 0.8 * 2);
  const Json& functions = report.section("functions");
  CHECK(std::any_of(functions.begin(), functions.end(), [](const Json& f) {
    return f.at("name") == "collatz" && f.at("line").get<int>() >= 43 && f.at("line").get<int>() <= 44 &&
           f.at("file").get<std::string>().ends_with("numba_functions.py");
  }));
}
