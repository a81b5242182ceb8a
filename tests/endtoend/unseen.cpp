// What a run cannot show must stand on the first screen, which looks whole without it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;
namespace fs = std::filesystem;

namespace {

// With one blank for each gap, so that it does not matter where lines end.
std::string first_screen(const fs::path& run) {
  const Outcome report = Command({prof_program().string(), "report", run.string(), "--no-cache"}).run();
  INFO(report);
  REQUIRE(report.ok());
  std::string out;
  for (const char c : report.out) {
    const char one = c == '\n' ? ' ' : c;
    if (one != ' ' || out.empty() || out.back() != ' ') out += one;
  }
  return out;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

fs::path copy_of_victim(const char* name, const TempDir& temp) {
  const fs::path copy = temp / name;
  fs::copy_file(victim_path(name), copy);
  return copy;
}

}  // namespace

// Catches timers that wait for a whole period to pass: of threads that end before, next to nothing is seen.
TEST_CASE("threads shorter than a tick are sampled in proportion", "[alone]") {
  TempDir temp;
  const std::string us = GENERATE(as<std::string>{}, "300", "5000");
  const Outcome run = Command::victim("short_threads", {us, "3000"}).profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  const double cpu = static_cast<double>(run.fact("cpu_ns")) * 1e-9;
  CHECK(report.cpu_s() == Approx(cpu).epsilon(0.05).margin(0.02));
  const double most = static_cast<double>(run.fact("most_ns")) * 1e-9,
               rest = static_cast<double>(run.fact("rest_ns")) * 1e-9;
  CHECK(report.cumtime("three_quarters") == Approx(most).epsilon(0.25));
  CHECK(report.cumtime("one_quarter") == Approx(rest).epsilon(0.4));
  CHECK_FALSE(has(first_screen(temp / "run"), "is in no sample"));
}

TEST_CASE("the first screen says what a binary without lines, and one that is gone, keep from it") {
  TempDir temp;
  const fs::path program = copy_of_victim("burn_shares", temp);
  REQUIRE(Command({"strip", "-g", program.string()}).run().ok());
  REQUIRE(Command({program.string(), "300"}).profiled(temp / "run").run().ok());
  CHECK(has(first_screen(temp / "run"), "of CPU time) has no debug information, so no lines; compile it with -g."));
  fs::remove(program);
  CHECK(has(first_screen(temp / "run"), "of CPU time) is gone, so its functions have no names; try --symbol-path"));
  fs::copy_file(victim_path("own_clock"), program);
  CHECK(has(first_screen(temp / "run"), "of CPU time) was replaced, so its functions"));
}

TEST_CASE("the first screen says nothing of lines where they are known") {
  TempDir temp;
  REQUIRE(Command::victim("burn_shares", {"300"}).profiled(temp / "run").run().ok());
  const std::string text = first_screen(temp / "run");
  CHECK_FALSE(has(text, "compile it with -g"));
  CHECK_FALSE(has(text, "Note "));
}

TEST_CASE("the first screen says that a log is damaged") {
  TempDir temp;
  REQUIRE(Command::victim("burn_shares", {"300"}).profiled(temp / "run").run().ok());
  for (const auto& entry : fs::directory_iterator(temp / "run"))
    if (entry.path().extension() == ".proflog") fs::resize_file(entry.path(), 20000);
  const std::string text = first_screen(temp / "run");
  CHECK(has(text, "One log is damaged: figures may be wrong or too small."));
  CHECK_FALSE(has(text, "is in no sample"));
}
